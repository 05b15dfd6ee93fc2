// Images from Python's web server, which with HTTP/1.1 closes each connection right after the last byte, and from a registry that
// does the same.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { digest, disk, imageRequest, imagesIn } from '../fakes/images.ts';
import { ociRegistry } from '../fakes/services/oci-registry.ts';

const never = new AbortController().signal;
const DOWNLOADS = 40;
const CONTENT = disk('an instance', 3_000_000);

function folders(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), 'image-servers-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [state, served] = [path.join(folder, 'state'), path.join(folder, 'served')];
  for (const each of [state, served]) mkdirSync(each);
  return { state, served };
}

/** Returns the server's URL. */
async function pythonServer(t: TestContext, folder: string): Promise<string> {
  const words = ['-u', '-m', 'http.server', '-p', 'HTTP/1.1', '-b', '127.0.0.1', '-d', folder, '0'];
  const server = spawn('python3', words, { stdio: ['ignore', 'pipe', 'ignore'] });
  t.after(async () => {
    server.kill();
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  });
  for await (const line of createInterface(server.stdout)) {
    const port = / port (\d+) /.exec(line)?.[1];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
  }
  return assert.fail('python3 -m http.server has ended');
}

test(`${DOWNLOADS} of ${DOWNLOADS} images come whole from Python's web server with HTTP/1.1, each verified by its checksum file`, async (t) => {
  const { state, served } = folders(t);
  writeFileSync(path.join(served, 'disk.raw'), CONTENT);
  writeFileSync(path.join(served, 'SHA256SUMS'), `${digest(CONTENT)}  disk.raw\n`);
  const url = await pythonServer(t, served);
  const images = imagesIn(state, []);
  for (let count = 1; count <= DOWNLOADS; count += 1) {
    // the query makes it another image, so that no earlier copy is used
    const source = `${url}/disk.raw?${count}`;
    const prepared = await images.prepare(imageRequest({ source, checksum: `${url}/SHA256SUMS` }), never);
    assert.equal(prepared.bytes, CONTENT.length);
  }
  // boot files, which may have no checksum
  await images.fetch(`${url}/disk.raw`, 'deploy_kernel', never);
});

test('an image comes whole from a registry whose server of blobs closes each connection right after the last byte', async (t) => {
  const { state } = folders(t);
  const registry = await ociRegistry(t, {
    login: 'token',
    intercept(place, { socket }) {
      if (!place.startsWith('/sha256:')) return false;
      const head = `HTTP/1.1 200 OK\r\nContent-Length: ${CONTENT.length}\r\n\r\n`;
      socket?.end(Buffer.concat([Buffer.from(head), CONTENT]));
      return true;
    },
  });
  registry.push('os/debian', '13', CONTENT);
  const source = `oci://${registry.host}/os/debian:13`;
  assert.equal((await imagesIn(state, []).prepare(imageRequest({ source }), never)).bytes, CONTENT.length);
});

// The boot HTTP server in its thread, with real clients.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { BootHttpServer } from '../../../../daemon/boot/http/boot-http-server.ts';
import { startBootHttp } from '../../../../daemon/boot/http/start-boot-http.ts';
import { createServedFiles } from '../../../../daemon/boot/served-files.ts';
import { ask, converse, createEventLog } from '../../../fakes/boot/boot-http.ts';
import { startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { fakeLogger } from '../../../fakes/task.ts';
import { skipWithout } from '../../../setup/packages.ts';

const run = promisify(execFile);
const MEBIBYTE = 1024 * 1024;

interface Given {
  readonly port?: number | null;
  readonly host?: string;
  readonly httpUrl?: string;
}

async function start(t: TestContext, { port = 0, host = '127.0.0.1', httpUrl }: Given = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'boot-http-'));
  const files = createServedFiles();
  const { events, record, told } = createEventLog();
  const config = {
    boot_http: { port, host_ip: host, max_connections: 500, max_connections_per_client: 200 },
    deploy: { http_url: httpUrl ?? null },
    DEFAULT: { my_ip: '192.0.2.1' },
  } as Parameters<typeof startBootHttp>[0];
  let server: BootHttpServer | undefined;
  t.after(async () => {
    await server?.close();
    rmSync(folder, { recursive: true });
  });
  const missing: string[] = [];
  const reportMissing = (what: string, reason: string | undefined) => void missing.push(`${what}: ${reason}`);
  server = await startBootHttp(config, undefined, { files, record, reportMissing, log: fakeLogger() });
  return { server, url: server?.url ?? '', files, folder, events, told, missing };
}

function serveImage(
  { files, folder }: { files: ReturnType<typeof createServedFiles>; folder: string },
  bytes: number,
) {
  const image = randomBytes(bytes);
  const file = path.join(folder, 'served-image');
  writeFileSync(file, image);
  files.publish('node', { 'node/image': { kind: 'file', path: file } });
  return image;
}

test('without a port and without a passed socket there is no server', async (t) => {
  assert.equal((await start(t, { port: null })).server, undefined);
});

test('publishing and withdrawing take effect with the next request', async (t) => {
  const { url, files } = await start(t);
  const status = async () => (await fetch(`${url}/script`)).status;
  assert.equal(await status(), 404);
  for (let round = 0; round < 20; round += 1) {
    files.publish('node', { script: { kind: 'bytes', bytes: Buffer.from(`round ${round}`) } });
    assert.equal(await (await fetch(`${url}/script`)).text(), `round ${round}`);
    files.withdraw('node');
    assert.equal(await status(), 404);
  }
});

test(
  'curl downloads a file and a part of it, and curl and wget complete a truncated copy',
  { skip: skipWithout('wget') },
  async (t) => {
    const lab = await start(t);
    const image = serveImage(lab, 30 * MEBIBYTE);
    const target = path.join(lab.folder, 'target');
    const url = `${lab.url}/node/image`;
    const check = (how: string) => assert.ok(readFileSync(target).equals(image), how);
    await run('curl', ['-fsS', '-o', target, url]);
    check('curl');
    truncateSync(target, 11 * MEBIBYTE + 7);
    await run('curl', ['-fsS', '-C', '-', '-o', target, url]);
    check('curl -C -');
    truncateSync(target, 5 * MEBIBYTE + 1);
    await run('wget', ['-q', '-c', '-O', target, url]);
    check('wget -c');
    const { stdout } = await run('curl', ['-fsS', '-r', '100-199', url], { encoding: 'buffer' });
    assert.ok(stdout.equals(image.subarray(100, 200)));
    const conditional = ['-sS', '-z', target, '-w', '%{http_code} %{size_download}', '-o', '/dev/null', url];
    assert.equal((await run('curl', conditional)).stdout, '304 0');
    const head = (await run('curl', ['-fsSI', url])).stdout;
    assert.match(head, new RegExp(`^Content-Length: ${image.length}\r$`, 'm'));
    assert.equal((await run('wget', ['-q', '--spider', url])).stderr, '');
  },
);

test('a hundred simultaneous requests each get the whole file', async (t) => {
  const lab = await start(t);
  const image = serveImage(lab, MEBIBYTE);
  const expected = createHash('sha256').update(image).digest('hex');
  const digests = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const response = await fetch(`${lab.url}/node/image`);
      return createHash('sha256')
        .update(await response.bytes())
        .digest('hex');
    }),
  );
  assert.deepEqual([...new Set(digests)], [expected]);
  assert.equal(lab.events.filter(({ text }) => text.startsWith('sent node/image (1.0 MB)')).length, 100);
});

test('closing the server ends a transfer and frees the port', async (t) => {
  const lab = await start(t);
  serveImage(lab, 30 * MEBIBYTE);
  const port = Number(new URL(lab.url).port);
  const socket = converse(port, 'GET /node/image HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(socket, 'readable');
  await lab.server?.close();
  socket.resume();
  await once(socket, 'close');
  const again = await start(t, { port });
  assert.equal((await ask(port, 'GET', '/other')).status, 404);
  assert.equal(again.url, lab.url);
});

test('an occupied port prevents the start with a sentence that names the options', async (t) => {
  const { url } = await start(t);
  const port = Number(new URL(url).port);
  await assert.rejects(
    start(t, { port }),
    /Cannot listen on 127\.0\.0\.1 port \d+ \(\[boot_http\] host_ip, port\): process \d+ .* set \[boot_http\] port to a free port\.$/,
  );
});

test('the URL for machines is [deploy] http_url, or else that of the listener, with my_ip in place of 0.0.0.0', async (t) => {
  assert.equal((await start(t, { httpUrl: 'http://boot.test' })).url, 'http://boot.test');
  assert.match((await start(t, { host: '0.0.0.0' })).url, /^http:\/\/192\.0\.2\.1:\d+$/);
  assert.match((await start(t, { host: '::1' })).url, /^http:\/\/\[::1\]:\d+$/);
});

test('the daemon serves published files, and its timeline shows what machines got', async (t) => {
  const environment = { IRONIC_BOOT_HTTP__PORT: '0', IRONIC_BOOT_HTTP__HOST_IP: '127.0.0.1' };
  const daemon = await startListening(t, { environment });
  const { bootUrl = '', services, log } = daemon;
  assert.match(log(), new RegExp(`"boot_url":"${bootUrl}".*"ready"`));
  services.served.publish('node', { 'boot.ipxe': { kind: 'bytes', bytes: Buffer.from('#!ipxe') } });
  assert.equal(await (await fetch(`${bootUrl}/boot.ipxe`)).text(), '#!ipxe');
  assert.equal((await fetch(`${bootUrl}/other`)).status, 404);
  services.timeline.flush();
  const events = services.db.machineEvents.ofMachine('127.0.0.1', { since: 0, limit: 10 });
  assert.deepEqual(
    events.map(({ hop, address, text, failed }) => [hop, address, text, failed]),
    [
      ['http', '127.0.0.1', 'sent boot.ipxe (6 bytes) to 127.0.0.1', false],
      ['http', '127.0.0.1', 'asked for other, which is not served', true],
    ],
  );
  await daemon.stop();
  await assert.rejects(fetch(`${bootUrl}/boot.ipxe`), /fetch failed/);
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createImageStore } from '../../../daemon/images/image-store.ts';
import { loopbackWeb } from '../../fakes/images.ts';
import { createLogger } from '../../../daemon/lib/logger.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const never = new AbortController().signal;
const SOURCE = 'driver_info/deploy_kernel';

/** A web server whose one file a test may change, and a store that downloads from it. */
async function site(t: TestContext, respond?: RequestListener) {
  const directory = mkdtempSync(path.join(tmpdir(), 'images-'));
  const served = { text: 'first', requests: 0, sent: 0 };
  const server = createServer((request, response) => {
    served.requests += 1;
    if (respond !== undefined) return respond(request, response);
    const etag = `"${sha256(served.text)}"`;
    if (request.headers['if-none-match'] === etag) return response.writeHead(304).end();
    served.sent += 1;
    return response.writeHead(200, { etag }).end(served.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
    for (const each of [directory, roots]) rmSync(each, { recursive: true, force: true });
  });
  const lines: string[] = [];
  const log = createLogger({
    level: 'info',
    mask: (fields) => fields,
    destination: { write: (line) => void lines.push(line) },
  });
  const roots = mkdtempSync(path.join(tmpdir(), 'allowed-'));
  const store = createImageStore({
    stateDirectory: directory,
    allowedRoots: [roots],
    web: loopbackWeb,
    limits: { bytes: 2 ** 40, milliseconds: 2 ** 40 },
    served: () => new Set(),
    log,
    stopping: never,
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/kernel`;
  return { directory, roots, served, server, store, url, log: () => lines.join('') };
}

const content = (file: string) => readFileSync(file, 'utf8');

describe('an image from a web server', () => {
  it('is downloaded once for any number of nodes', async (t) => {
    const { store, served, url } = await site(t);
    const files = await Promise.all(Array.from({ length: 50 }, () => store.fetch(url, SOURCE, never)));
    assert.equal(new Set(files).size, 1);
    assert.equal(content(files[0] ?? ''), 'first');
    assert.deepEqual([served.requests, served.sent], [1, 1]);
    await store.fetch(url, SOURCE, never);
    assert.deepEqual([served.requests, served.sent], [2, 1]);
  });

  it('is downloaded again when it has changed, and its previous copy stays for machines that read it', async (t) => {
    const { store, served, url, directory } = await site(t);
    const copies: string[] = [];
    for (const text of ['first', 'second', 'third']) {
      served.text = text;
      copies.push(await store.fetch(url, SOURCE, never));
    }
    assert.deepEqual(copies.slice(1).map(content), ['second', 'third']);
    assert.throws(() => content(copies[0] ?? ''), /ENOENT/);
    const [place = ''] = readdirSync(path.join(directory, 'images'));
    assert.equal(readdirSync(path.join(directory, 'images', place)).length, 3);
  });

  it('is refused when its checksum is wrong, and no copy of it is kept', async (t) => {
    const { store, url, directory } = await site(t);
    await assert.rejects(
      store.fetch(`${url}#sha256=${sha256('other')}`, SOURCE, never),
      new RegExp(
        `Image ${url} cannot be used: its sha256 is ${sha256('first')}, expected ${sha256('other')}`,
      ),
    );
    const [place = ''] = readdirSync(path.join(directory, 'images'));
    assert.deepEqual(readdirSync(path.join(directory, 'images', place)), []);
    const good = await store.fetch(`${url}#sha256=${sha256('first')}`, SOURCE, never);
    assert.equal(content(good), 'first');
    const long = createHash('sha512').update('first').digest('hex');
    assert.equal(content(await store.fetch(`${url}#SHA512=${long.toUpperCase()}`, SOURCE, never)), 'first');
  });

  it('is taken from its earlier copy when its server does not answer, and a warning is logged', async (t) => {
    const { store, server, url, log } = await site(t);
    await store.fetch(url, SOURCE, never);
    server.closeAllConnections();
    server.close();
    assert.equal(content(await store.fetch(url, SOURCE, never)), 'first');
    assert.match(log(), /could not download an image; using its earlier copy/);
  });

  it('is not used when its download is refused or incomplete', async (t) => {
    const answers: RequestListener[] = [
      (_, response) => response.writeHead(404).end(),
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('half');
        setImmediate(() => response.destroy());
      },
    ];
    for (const answer of answers) {
      const { store, url } = await site(t, answer);
      await assert.rejects(store.fetch(url, SOURCE, never), /^Fault: Image http.*cannot be used: /);
    }
  });

  it('is still downloaded for other nodes when the work of one node is aborted', async (t) => {
    const { store, url } = await site(t);
    const first = new AbortController();
    const aborted = store.fetch(url, SOURCE, first.signal);
    const other = store.fetch(url, SOURCE, never);
    first.abort(new Error('the operator aborted'));
    await assert.rejects(aborted, /the operator aborted/);
    assert.equal(content(await other), 'first');
  });

  it('is named in the log and in errors without the password in its URL', async (t) => {
    const { store, url, log } = await site(t);
    const login = url.replace('http://', 'http://user:hidden@');
    await store.fetch(login, SOURCE, never);
    const wrong = store.fetch(`${login}#sha256=${sha256('x')}`, SOURCE, never);
    await assert.rejects(wrong, (error) => !String(error).includes('hidden'));
    assert.doesNotMatch(log(), /hidden/);
  });
});

describe('an image from a file', () => {
  it('is used in place when it is a regular file below an allowed directory, and its checksum is verified', async (t) => {
    const { store, roots } = await site(t);
    const file = path.join(roots, 'kernel');
    writeFileSync(file, 'local');
    assert.equal(await store.fetch(`file://${file}`, SOURCE, never), file);
    await assert.rejects(
      store.fetch(`file://${file}#sha256=${sha256('x')}`, SOURCE, never),
      /its sha256 is .*, expected/,
    );
  });

  it('is refused before it is read when it is outside the allowed directories, not a regular file, or missing', async (t) => {
    const { store, roots, directory } = await site(t);
    writeFileSync(path.join(directory, 'secret'), 'x');
    symlinkSync(path.join(directory, 'secret'), path.join(roots, 'link'));
    execFileSync('mkfifo', [path.join(roots, 'fifo')]);
    const cases: readonly (readonly [string, RegExp])[] = [
      ['/etc/passwd', /not below a directory of \[conductor\] file_url_allowed_paths/],
      [path.join(roots, 'link'), /one of the files of the daemon/],
      [path.join(directory, 'secret'), /one of the files of the daemon/],
      [path.join(roots, '../secret'), /ENOENT/],
      [`${roots}/%2e%2e/${path.basename(directory)}/secret`, /one of the files of the daemon/],
      ['/dev/zero', /not below a directory/],
      [path.join(roots, 'fifo'), /not a regular file/],
      [path.join(roots, 'absent'), /ENOENT/],
    ];
    for (const [file, reason] of cases)
      await assert.rejects(store.fetch(`file://${file}`, SOURCE, never), reason, file);
  });
});

describe('an image reference', () => {
  it('is refused when it is wrong; the error says what is expected, and does not show the password', async (t) => {
    const { store } = await site(t);
    for (const text of [
      '',
      'kernel',
      'ftp://h/x',
      'file://host/x',
      'http://u:hidden@h/x#sha256=12',
      'http://h/#md5=x',
    ]) {
      await assert.rejects(store.fetch(text, SOURCE, never), (error) => {
        assert.match(String(error), /driver_info\/deploy_kernel.*is not an http, https or file URL/);
        assert.doesNotMatch(String(error), /hidden/);
        return true;
      });
    }
  });
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { secretName } from '../../../../daemon/boot/secret-names.ts';
import { ask, converse, parseAnswer, rawAnswer, startBootHttpLab } from '../../../fakes/boot/boot-http.ts';

const MEBIBYTE = 1024 * 1024;
/** More than the operating system buffers for a client that does not read. */
const LARGE = randomBytes(24 * MEBIBYTE);

test('a file is served with its length, type, date and entity tag, and bytes in memory with their type', async (t) => {
  const lab = await startBootHttpLab(t);
  lab.serveFile('snponly.efi', 'loader');
  lab.files.publish('node', { 'boot.ipxe': { kind: 'bytes', bytes: Buffer.from('#!ipxe\n') } });
  const file = await ask(lab.port, 'GET', '/snponly.efi');
  assert.deepEqual([file.status, file.body.toString()], [200, 'loader']);
  assert.equal(file.headers['content-length'], '6');
  assert.equal(file.headers['content-type'], 'application/efi');
  assert.match(file.headers['etag'] ?? '', /^"[\w-]+"$/);
  assert.ok(Date.parse(file.headers['last-modified'] ?? '') <= Date.now());
  const script = await ask(lab.port, 'GET', '/boot.ipxe?mac=52:54:00:12:34:56');
  assert.deepEqual([script.status, script.body.toString()], [200, '#!ipxe\n']);
  assert.equal(script.headers['content-type'], 'text/plain; charset=utf-8');
  assert.deepEqual(lab.events, [
    { hop: 'http', address: '127.0.0.1', text: 'sent snponly.efi (6 bytes) to 127.0.0.1' },
    { hop: 'http', address: '127.0.0.1', text: 'sent boot.ipxe (7 bytes) to 127.0.0.1' },
  ]);
});

test('HEAD is answered as a GET of the whole file, without the body, and makes no event', async (t) => {
  const lab = await startBootHttpLab(t);
  lab.serveFile('kernel', LARGE);
  const { status, headers, body } = await ask(lab.port, 'HEAD', '/kernel', { range: 'bytes=0-1' });
  assert.deepEqual([status, headers['content-length'], body.length], [200, `${LARGE.length}`, 0]);
  assert.deepEqual(lab.events, []);
});

test('an empty file is served', async (t) => {
  const lab = await startBootHttpLab(t);
  lab.serveFile('empty', '');
  const { status, headers, body } = await ask(lab.port, 'GET', '/empty');
  assert.deepEqual([status, headers['content-length'], body.length], [200, '0', 0]);
});

test('a range is answered 206 with that part, one beyond the end 416', async (t) => {
  const lab = await startBootHttpLab(t);
  lab.serveFile('image', LARGE);
  const middle = await ask(lab.port, 'GET', '/image', { range: 'bytes=1000000-9999999' });
  assert.equal(middle.status, 206);
  assert.equal(middle.headers['content-range'], `bytes 1000000-9999999/${LARGE.length}`);
  assert.ok(middle.body.equals(LARGE.subarray(1_000_000, 10_000_000)));
  assert.equal(lab.events.length, 0, 'a part that does not reach the end of the file makes no event');
  const end = await ask(lab.port, 'GET', '/image', { range: 'bytes=-7' });
  assert.ok(end.body.equals(LARGE.subarray(-7)));
  assert.match(lab.events[0]?.text ?? '', /^sent image \(the last 7 bytes of 25 MB\)/);
  const beyond = await ask(lab.port, 'GET', '/image', { range: `bytes=${LARGE.length}-` });
  assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, `bytes */${LARGE.length}`]);
});

test('a client with a current copy is answered 304, and an interrupted transfer of an unchanged file can be resumed', async (t) => {
  const lab = await startBootHttpLab(t);
  const file = lab.serveFile('image', 'first state');
  const { headers } = await ask(lab.port, 'GET', '/image');
  const { etag = '', 'last-modified': date = '' } = headers;
  const known = await ask(lab.port, 'GET', '/image', { 'if-none-match': etag });
  assert.deepEqual([known.status, known.headers['etag'], known.body.length], [304, etag, 0]);
  assert.equal((await ask(lab.port, 'GET', '/image', { 'if-modified-since': date })).status, 304);
  const rest = { range: 'bytes=6-', 'if-range': etag };
  assert.equal((await ask(lab.port, 'GET', '/image', rest)).body.toString(), 'state');
  writeFileSync(`${file}.new`, 'other state');
  renameSync(`${file}.new`, file);
  const whole = await ask(lab.port, 'GET', '/image', rest);
  assert.deepEqual([whole.status, whole.body.toString()], [200, 'other state']);
  assert.equal((await ask(lab.port, 'GET', '/image', { 'if-none-match': etag })).status, 200);
  assert.equal((await ask(lab.port, 'GET', '/image', { 'if-match': etag })).status, 412);
});

test('a name that is not in the table is answered 404, however it is spelt', async (t) => {
  const lab = await startBootHttpLab(t);
  lab.serveFile('pxelinux.cfg/default', 'x');
  writeFileSync(path.join(lab.folder, 'hidden'), 'secret');
  const targets = [
    '/',
    '//',
    '/pxelinux.cfg',
    '/pxelinux.cfg/',
    '/hidden',
    '/./pxelinux.cfg/default',
    '/../etc/passwd',
  ]
    .concat('/..%2f..%2fetc%2fpasswd', '/%2e%2e/%2e%2e/etc/passwd', '/pxelinux.cfg/..%5c..%5chidden')
    .concat(
      '/pxelinux.cfg/default%00',
      '/pxelinux.cfg/default%00.efi',
      '/%',
      '/%ff',
      '/%c0%ae%c0%ae/',
      '/__proto__',
    )
    .concat(
      '/constructor',
      path.join(lab.folder, 'hidden'),
      `/${lab.folder}/hidden`,
      'http://boot/pxelinux.cfg/default',
      '*',
    );
  for (const target of targets) {
    const { status, body } = await ask(lab.port, 'GET', target);
    assert.deepEqual([target, status, body.length], [target, 404, 0]);
  }
  assert.equal(lab.events.length, targets.length);
  assert.ok(lab.events.every(({ failed }) => failed === true));
  assert.equal(lab.events[0]?.text, 'asked for "", which is not served');
  assert.equal((await ask(lab.port, 'GET', '/pxelinux.cfg%2Fdefault')).status, 200);
  assert.equal((await ask(lab.port, 'GET', '/autoexec.ipxe')).status, 404);
  const failures = lab.events.filter(({ failed }) => failed === true);
  assert.equal(failures.length, targets.length, 'boot loaders do without that file');
});

test('a published symlink, directory, pipe, device or missing file is answered 404', async (t) => {
  const lab = await startBootHttpLab(t);
  const at = (name: string) => path.join(lab.folder, name);
  writeFileSync(at('file'), 'x');
  symlinkSync(at('file'), at('link'));
  mkdirSync(at('directory'));
  execFileSync('mkfifo', [at('pipe')]);
  const paths = [at('link'), at('directory'), at('pipe'), at('missing'), '/dev/zero'];
  for (const [index, file] of paths.entries()) {
    lab.files.publish('odd', { odd: { kind: 'file', path: file } });
    assert.equal((await ask(lab.port, 'GET', '/odd')).status, 404, file);
    assert.match(lab.events[index]?.text ?? '', /^asked for odd, which cannot be read: /);
  }
});

test('methods other than GET and HEAD are answered 405, a request with a body 413, and the connection is closed', async (t) => {
  const lab = await startBootHttpLab(t);
  lab.serveFile('kernel', 'x');
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
    const { status, headers } = await ask(lab.port, method, '/kernel', { connection: 'keep-alive' });
    assert.deepEqual([status, headers['allow']], [405, 'GET, HEAD']);
  }
  for (const body of ['content-length: 100000000', 'transfer-encoding: chunked']) {
    const answer = await rawAnswer(lab.port, `GET /kernel HTTP/1.1\r\nhost: x\r\n${body}\r\n\r\n`);
    assert.equal(parseAnswer(answer).status, 413);
  }
});

test('a secret name is served with no-store as long as it is published, and no event shows it in full', async (t) => {
  const lab = await startBootHttpLab(t);
  const name = secretName('config_drive');
  lab.files.publish('drive', { [name]: { kind: 'bytes', bytes: Buffer.from('password') } });
  const { body, headers } = await ask(lab.port, 'GET', `/${name}`);
  assert.deepEqual([body.toString(), headers['cache-control']], ['password', 'no-store']);
  lab.files.withdraw('drive');
  assert.equal((await ask(lab.port, 'GET', `/${name}`)).status, 404);
  assert.deepEqual(
    lab.events.map(({ text }) => text),
    [
      'sent secret/***/config_drive (8 bytes) to 127.0.0.1',
      'asked for secret/***/config_drive, which is not served',
    ],
  );
});

/** Asks for /image, reads nothing before `meanwhile` has run, and resolves to the body that then arrives. */
async function bodyAfter(port: number, meanwhile: () => void | Promise<void>): Promise<Buffer> {
  const socket = converse(port, 'GET /image HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  await once(socket, 'readable');
  await meanwhile();
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  if (!socket.closed) await once(socket, 'close');
  return parseAnswer(Buffer.concat(chunks)).body;
}

test('a file that is replaced and withdrawn while it is being sent is sent to its end as it was', async (t) => {
  const lab = await startBootHttpLab(t);
  const file = lab.serveFile('image', LARGE);
  const body = await bodyAfter(lab.port, () => {
    writeFileSync(`${file}.new`, Buffer.alloc(LARGE.length, 'n'));
    renameSync(`${file}.new`, file);
    lab.files.withdraw('image');
  });
  assert.ok(body.equals(LARGE));
});

for (const [how, change] of [
  ['overwritten', (file: string) => writeFileSync(file, Buffer.alloc(LARGE.length, 'n'))],
  ['truncated', (file: string) => truncateSync(file, LARGE.length / 2)],
  ['appended to', (file: string) => appendFileSync(file, 'more')],
] as const) {
  test(`a file that is ${how} while it is being sent never arrives whole`, async (t) => {
    const lab = await startBootHttpLab(t);
    const file = lab.serveFile('image', LARGE);
    const body = await bodyAfter(lab.port, () => change(file));
    assert.ok(body.length < LARGE.length, `${body.length}`);
    const { text, failed } = await lab.told('could not be answered');
    assert.match(text, /image was changed while it was being sent$/);
    assert.equal(failed, true);
  });
}

test('a client that disconnects during a transfer is reported', async (t) => {
  const lab = await startBootHttpLab(t);
  lab.serveFile('image', LARGE);
  const socket = converse(lab.port, 'GET /image HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(socket, 'readable');
  socket.destroy();
  const { text, failed } = await lab.told('stopped');
  assert.match(text, /^stopped receiving image after \d+(\.\d)? of 25 MB$/);
  assert.equal(failed, true);
});

test('a client that stops reading is disconnected', async (t) => {
  const lab = await startBootHttpLab(t);
  lab.serveFile('image', LARGE);
  const socket = converse(lab.port, 'GET /image HTTP/1.1\r\nhost: x\r\n\r\n');
  const closed = once(socket, 'close');
  await once(socket, 'readable');
  // the server first fills the buffers of the operating system
  while (lab.events.length === 0) {
    await lab.clock.advance(59_000);
    await setImmediate();
  }
  await lab.told('stopped receiving image');
  socket.resume();
  await closed;
});

test('a client that sends its request too slowly, or none, is disconnected', async (t) => {
  const lab = await startBootHttpLab(t, { requestMilliseconds: 200 });
  lab.serveFile('kernel', 'x');
  const silent = rawAnswer(lab.port, '');
  const slow = rawAnswer(lab.port, 'GET /kernel HTTP/1.1\r\nhost: x\r\nx-a: ');
  assert.match((await slow).toString(), /^HTTP\/1\.1 408 /);
  await silent;
});

test('a client over its limit of connections is reported once, and refused until it closes connections', async (t) => {
  const lab = await startBootHttpLab(t, { connectionsPerClient: 2 });
  lab.serveFile('kernel', 'x');
  const [first, second] = [converse(lab.port, ''), converse(lab.port, '')];
  await Promise.all([once(first, 'connect'), once(second, 'connect')]);
  for (let tries = 0; tries < 3; tries += 1)
    assert.equal((await rawAnswer(lab.port, 'GET /kernel HTTP/1.0\r\n\r\n')).length, 0);
  assert.deepEqual(
    lab.events.map(({ text }) => text),
    [
      'was refused a connection: it has 2 connections open, the limit ([boot_http] max_connections_per_client)',
    ],
  );
  const other = converse(lab.port, 'GET /kernel HTTP/1.0\r\n\r\n', '127.0.0.2');
  assert.match(String(await once(other, 'data')), /^HTTP\/1\.1 200 /);
  first.destroy();
  second.destroy();
  await once(second, 'close');
  while ((await rawAnswer(lab.port, 'GET /kernel HTTP/1.0\r\n\r\n')).length === 0);
});

test('connections over the limit for all clients together are refused', async (t) => {
  const lab = await startBootHttpLab(t, { connections: 3 });
  const sockets = [1, 2, 3].map((number) => converse(lab.port, '', `127.0.0.${number}`));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  assert.equal((await rawAnswer(lab.port, 'GET / HTTP/1.0\r\n\r\n')).length, 0);
  assert.match(
    lab.events[0]?.text ?? '',
    /3 connections are open, the limit \(\[boot_http\] max_connections\)$/,
  );
  // each of several refused clients is reported, and is reported again only after a minute
  const refusedFrom = async (clients: readonly number[]) => {
    lab.forget();
    for (const client of clients)
      await buffer(converse(lab.port, '', `127.0.1.${client}`)).catch(() => undefined);
    return lab.events.map(({ address }) => address);
  };
  assert.equal((await refusedFrom([1, 2, 3, 4, 5])).length, 5);
  assert.deepEqual(await refusedFrom([5]), []);
});

const get = (name: string, more = '') => `GET /${name} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;

test('pipelined requests are answered in order', async (t) => {
  const lab = await startBootHttpLab(t);
  lab.serveFile('image', LARGE);
  lab.serveFile('kernel', 'kernel');
  const all = await rawAnswer(
    lab.port,
    get('image') + get('kernel') + get('kernel', 'connection: close\r\n'),
  );
  const { body } = parseAnswer(all);
  assert.ok(body.subarray(0, LARGE.length).equals(LARGE));
  const second = parseAnswer(body.subarray(LARGE.length));
  assert.equal(second.status, 200);
  assert.equal(parseAnswer(second.body.subarray(6)).body.toString(), 'kernel');
});

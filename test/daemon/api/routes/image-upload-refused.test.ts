// Uploads of those who may not upload.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { hashSync } from 'bcryptjs';
import { disk } from '../../../fakes/images.ts';
import { openUpload, upload, uploadSite } from '../../../fakes/services/image-upload.ts';

const as = (user: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:secret`).toString('base64')}`,
});

/** Largest permitted; to send it takes minutes, and the daemon hangs up after half a second. */
const FLOOD_BYTES = 64 * 1024 ** 3;

/** Sends as much of a large body as the daemon takes; resolves to the start of the answer and the bytes that were sent when the daemon hung up. */
async function flood(url: string, headers: Readonly<Record<string, string>>) {
  const { port, host, pathname } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  let answer = '';
  socket.on('data', (piece) => (answer += piece.toString()));
  socket.on('error', () => {});
  const lines = Object.entries({ host, 'content-length': String(FLOOD_BYTES), ...headers });
  socket.write(`PUT ${pathname} HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n`);
  const piece = Buffer.alloc(65_536, 1);
  const more = () => {
    while (socket.writable && socket.write(piece));
  };
  socket.on('drain', more);
  more();
  await new Promise((resolve) => socket.once('close', resolve));
  return { answer, bytes: socket.bytesWritten };
}

test('who may not change images is refused before the body, and cannot send without end', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'logins-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const htpasswd = path.join(folder, 'htpasswd');
  const hash = hashSync('secret', 4);
  writeFileSync(htpasswd, `alan:${hash}\nrita:${hash}\nolga:${hash}\n`, { mode: 0o600 });
  const environment = {
    IRONIC_DEFAULT__AUTH_STRATEGY: 'http_basic',
    IRONIC_DEFAULT__HTTP_BASIC_AUTH_USER_FILE: htpasswd,
    IRONIC_USERS__READERS: 'rita',
    IRONIC_USERS__OPERATORS: 'olga',
    IRONIC_USERS__ADMINS: 'alan',
  };
  const { made, files, file } = await uploadSite(t, { environment, headers: as('alan') });
  assert.equal(made.status, 201, made.text);
  for (const [headers, expected] of [
    [{}, 401],
    [as('rita'), 403],
    [as('olga'), 403],
  ] as const) {
    const announced = { ...headers, 'content-length': 1024 ** 3, expect: '100-continue' };
    const { request, answer } = openUpload(file, announced);
    request.once('continue', () => assert.fail('the body was asked for'));
    request.flushHeaders();
    const closed = new Promise((resolve) => request.once('close', resolve));
    assert.equal((await answer).status, expected);
    await closed;
    for (const connection of ['keep-alive', 'close']) {
      const flooded = await flood(file, { ...headers, connection });
      assert.match(flooded.answer, new RegExp(`^HTTP/1\\.1 ${expected} `));
      assert.ok(flooded.bytes < FLOOD_BYTES, 'the daemon read all of it');
    }
  }
  assert.deepEqual(files(), []);
  assert.equal((await upload(file, disk(), as('alan'))).status, 200);
});

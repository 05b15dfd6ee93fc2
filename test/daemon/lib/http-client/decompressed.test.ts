import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { HttpClient } from '../../../../daemon/lib/http-client/http-client.ts';
import { systemClock } from '../../../../daemon/lib/clock.ts';
import { httpServer } from '../../../fakes/services/http-server.ts';

const TEXT = JSON.stringify({ settings: 'x'.repeat(5000) });

/** What a client reads when the server sends these bytes with this header. */
async function received(
  t: Parameters<typeof httpServer>[0],
  encoding: string,
  bytes: Buffer,
): Promise<string> {
  const { port } = await httpServer(t, (_, response) => {
    response.writeHead(200, { 'content-encoding': encoding });
    response.end(bytes);
  });
  const client = new HttpClient({ url: `http://127.0.0.1:${port}`, clock: systemClock });
  const reply = await client.send({ url: '/', timeoutSeconds: 60, largestReplyBytes: 100_000 });
  return reply.bytes.toString();
}

test('a reply that a server has compressed unasked is decompressed', async (t) => {
  const text = Buffer.from(TEXT);
  assert.equal(await received(t, 'gzip', gzipSync(text)), TEXT);
  assert.equal(await received(t, ' GZIP', gzipSync(text)), TEXT);
  assert.equal(await received(t, 'deflate', deflateSync(text)), TEXT);
  assert.equal(await received(t, 'br', brotliCompressSync(text)), TEXT);
});

test('a reply that is not what its header says, or that is compressed in an unknown way, stays as it is', async (t) => {
  assert.equal(await received(t, 'gzip', Buffer.from(TEXT)), TEXT);
  assert.equal(await received(t, 'zebra', Buffer.from(TEXT)), TEXT);
  assert.equal(await received(t, 'gzip', Buffer.alloc(0)), '');
});

test('a reply that becomes too large when decompressed is refused', async (t) => {
  await assert.rejects(
    received(t, 'gzip', gzipSync(Buffer.alloc(100_001))),
    /its reply is larger than 100000 bytes when decompressed$/,
  );
});

// The body of a reply arrives whole and takes little memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ReplyBytes } from '../../../../daemon/lib/http-client/send-request.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

test('a body in pieces of one byte takes less than eight bytes of memory for each piece', () => {
  const size = 1_000_000;
  const body = new ReplyBytes(size);
  const before = heapBytes();
  for (let index = 0; index < size; index += 1) body.add(Uint8Array.of(index));
  const cost = heapBytes() - before;
  assert.ok(cost < 8 * size, `${cost} bytes`);
  assert.ok(body.bytes.every((byte, index) => byte === index % 256));
});

test('small and large pieces stay in their order', () => {
  const body = new ReplyBytes(100_000_000);
  const pieces = Array.from({ length: 1000 }, (_, index) => Buffer.alloc(index % 3 === 0 ? 4000 : 1, index));
  for (const piece of pieces) body.add(piece);
  assert.ok(body.bytes.equals(Buffer.concat(pieces)));
});

test('a body that is too large is refused with an error that names the limit and its unit', () => {
  const body = new ReplyBytes(1_048_576);
  body.add(Buffer.alloc(1_048_576));
  assert.throws(() => body.add(Buffer.alloc(1)), { message: 'its reply is larger than 1 MiB' });
  assert.throws(() => new ReplyBytes(5).expect(6), { message: 'its reply is larger than 5 bytes' });
});

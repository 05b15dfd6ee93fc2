import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectedBody } from '../../../../daemon/http/request/body.ts';
import { streamedBody } from '../../../../daemon/http/request/streamed-body.ts';
import { fakeClock } from '../../../fakes/clock.ts';

const LIMIT = { kibibytes: 1, option: 'the limit of the test' };

async function* pieces(count: number) {
  for (let each = 0; each < count; each += 1) yield Buffer.alloc(512);
}

async function* never() {
  await new Promise(() => {});
  yield Buffer.alloc(0);
}

test('a body of unknown length is refused when it exceeds the limit, and read to the end below it', async () => {
  const clock = fakeClock();
  const read = async (count: number) => {
    const { bytes, pieces: received } = streamedBody(() => pieces(count), expectedBody(null, LIMIT), clock);
    assert.equal(bytes, null);
    let size = 0;
    for await (const piece of received(new AbortController().signal)) size += piece.length;
    return size;
  };
  assert.equal(await read(2), 1024);
  await assert.rejects(read(3), /larger than 1 KiB \(the limit of the test\)/);
  assert.equal(clock.pending, 0);
});

test('a body that does not move is given up, and one whose work is aborted', async () => {
  const clock = fakeClock();
  const body = () => streamedBody(never, expectedBody('10', LIMIT), clock);
  assert.equal(body().bytes, 10);
  const abort = new AbortController();
  const begin = () => body().pieces(abort.signal)[Symbol.asyncIterator]().next();
  const stalled = assert.rejects(begin(), /sent nothing of the request body for 60 s/);
  await clock.advance(60_000);
  await stalled;
  const waiting = begin();
  abort.abort(new Error('the image is gone'));
  await assert.rejects(waiting, /the image is gone/);
  assert.equal(clock.pending, 0);
});

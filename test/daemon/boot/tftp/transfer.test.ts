// Which blocks of a transfer are sent when, and how many packets a transfer over a lossy line takes at most.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  afterAcknowledgement,
  afterSilence,
  atStart,
  isAnswered,
  lastToSend,
  type TransferProgress,
  waits,
} from '../../../../daemon/boot/tftp/transfer.ts';

const progress = (acknowledged: number, sent: number, sentTwice = -1): TransferProgress => ({
  acknowledged,
  sent,
  sentTwice,
});

test('the answer to options is acknowledged before any block is sent', () => {
  const start = { ...atStart(true), sent: 0 };
  assert.equal(lastToSend(start, 16), 0);
  assert.equal(isAnswered(start, true), false);
  const answered = afterAcknowledgement(start, 0, 16);
  assert.equal(lastToSend(answered, 16), 16);
  assert.equal(isAnswered(answered, true), true);
  assert.equal(afterAcknowledgement(start, 1, 16), start);
});

test('without an answer to options the first block is sent at once', () => {
  assert.equal(lastToSend(atStart(false), 1), 1);
  assert.equal(isAnswered(progress(0, 1), false), false);
  assert.equal(isAnswered(progress(1, 1), false), true);
});

test('at window 1 a repeated acknowledgement sends nothing', () => {
  const before = progress(7, 8);
  assert.equal(afterAcknowledgement(before, 7, 1), before);
});

test('at larger windows a repeated acknowledgement sends the window once more, and only once', () => {
  assert.deepEqual(afterAcknowledgement(progress(16, 32), 16, 16), progress(16, 16, 32));
  const again = progress(16, 32, 32);
  assert.equal(afterAcknowledgement(again, 16, 16), again);
});

test('after an acknowledgement within a window, the blocks that follow the acknowledged one are sent again', () => {
  assert.deepEqual(afterAcknowledgement(progress(16, 32), 20, 16), progress(20, 20, 32));
});

test('the acknowledgement of a block that was sent twice sends nothing again; that of a later block does', () => {
  assert.deepEqual(afterAcknowledgement(progress(20, 36, 32), 32, 16), progress(32, 36, 32));
  assert.deepEqual(afterAcknowledgement(progress(20, 36, 32), 33, 16), progress(33, 33, 36));
});

test('an acknowledgement of a block that is not on its way is ignored', () => {
  const before = progress(100, 104);
  for (const block of [0, 1, 99, 105, 65_535]) assert.equal(afterAcknowledgement(before, block, 4), before);
});

test('block numbers continue with 0 after 65,535', () => {
  assert.equal(afterAcknowledgement(progress(65_535, 65_537), 1, 2).acknowledged, 65_537);
  assert.equal(afterAcknowledgement(progress(131_071, 131_072), 0, 1).acknowledged, 131_072);
});

test('a client that never answered gets five packets within eight seconds, whatever timeout it asks for', () => {
  for (const timeout of [undefined, 1, 255]) {
    assert.equal(waits(false, timeout).length, 5);
    assert.ok(waits(false, timeout).reduce((sum, wait) => sum + wait, 0) < 8000);
  }
});

test('each wait for an acknowledgement lasts as long as the timeout that the client asks for', () => {
  assert.deepEqual(waits(true, 1), Array(8).fill(1000));
  assert.deepEqual(waits(true, 10), Array(6).fill(10_000));
  assert.deepEqual(waits(true, 255), Array(3).fill(255_000));
});

interface Line {
  readonly window: number;
  readonly last: number;
  /** Whether each packet, a block or an acknowledgement, is lost, in the order of sending. */
  readonly losses: readonly boolean[];
}

/** Sends over a line that loses packets, to a client as in RFC 7440; returns the number of blocks sent. */
function sendOver({ window, last, losses }: Line): number {
  let state = { ...atStart(false) };
  let packets = 0;
  let [expected, inWindow] = [1, 0];
  let turn = 0;
  const isLost = () => losses[turn++] === true;
  const queue: number[] = [];
  const advance = () => {
    const end = Math.min(lastToSend(state, window), last);
    for (let block = state.sent + 1; block <= end; block += 1) {
      packets += 1;
      if (!isLost()) queue.push(block);
    }
    state = { ...state, sent: Math.max(state.sent, end) };
  };
  advance();
  while (state.acknowledged < last) {
    const block = queue.shift();
    if (block === undefined) {
      state = afterSilence(state);
      advance();
      continue;
    }
    const isNext = block === expected;
    if (isNext) [expected, inWindow] = [expected + 1, inWindow + 1];
    if (isNext && inWindow < window && block !== last) continue;
    inWindow = 0;
    if (isLost()) continue;
    const next = afterAcknowledgement(state, (expected - 1) & 0xffff, window);
    if (next !== state) {
      state = next;
      advance();
    }
  }
  return packets;
}

test('every transfer over a line that loses some packets is completed, with a bounded number of packets', () => {
  fc.assert(
    fc.property(
      fc.record({
        window: fc.constantFrom(1, 2, 4, 16, 64),
        last: fc.integer({ min: 1, max: 400 }),
        losses: fc.array(fc.boolean(), { maxLength: 300 }),
      }),
      (line) => {
        const lost = line.losses.filter(Boolean).length;
        const packets = sendOver(line);
        assert.ok(packets >= line.last);
        assert.ok(packets <= line.last + (lost + 1) * 4 * line.window, `${packets} packets, ${lost} lost`);
      },
    ),
    { numRuns: 500 },
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Credits } from '../../../../../daemon/plugin-host/isolation/border/credit.ts';
import { fakeClock } from '../../../../fakes/clock.ts';

const MEBIBYTE = 1_048_576;

/** The bytes that each sender gets through in ten seconds when all send as much as they can, in pieces of `bytes`. */
async function sentInTenSeconds(senders: number, bytes: number): Promise<readonly number[]> {
  const clock = fakeClock();
  const credits = new Credits(clock);
  const sent = Array.from({ length: senders }, () => 0);
  const sendOn = (sender: number, credit: ReturnType<Credits['open']>) => {
    let pause = 0;
    while (pause === 0) {
      pause = credit.charge(bytes, 'question');
      sent[sender] = (sent[sender] ?? 0) + bytes;
    }
    clock.after(pause, () => sendOn(sender, credit));
  };
  for (let sender = 0; sender < senders; sender += 1) sendOn(sender, credits.open());
  for (let tick = 0; tick < 1000; tick += 1) await clock.advance(10);
  return sent;
}

test('a process that sends without end is held to a rate, and forty share twice that rate about equally', async () => {
  const [alone = 0] = await sentInTenSeconds(1, 65_536);
  assert.ok(alone > 10 * MEBIBYTE && alone < 25 * MEBIBYTE, String(alone));
  const all = await sentInTenSeconds(40, 65_536);
  const total = all.reduce((sum, one) => sum + one, 0);
  assert.ok(total < 70 * MEBIBYTE, String(total));
  assert.ok(Math.min(...all) > 0.5 * Math.max(...all), all.join());
});

test('a process that sends little is never made to wait, whatever others send', async () => {
  const clock = fakeClock();
  const credits = new Credits(clock);
  const greedy = credits.open();
  const modest = credits.open();
  for (let round = 0; round < 1000; round += 1) {
    greedy.charge(MEBIBYTE, 'question');
    assert.equal(modest.charge(1024, 'question'), 0);
    await clock.advance(10);
  }
});

test('an answer costs only its size; a question costs more than a line of the log, because it may write to the disk', () => {
  const credit = new Credits(fakeClock()).open();
  for (let answers = 0; answers < 5000; answers += 1) assert.equal(credit.charge(50, 'answer'), 0);
  const questions = new Credits(fakeClock()).open();
  const pauses = Array.from({ length: 5000 }, () => questions.charge(50, 'question'));
  assert.ok(pauses.some((pause) => pause > 0));
  const lines = new Credits(fakeClock()).open();
  const allowed = Array.from({ length: 200 }, () => lines.charge(50, 'line')).filter((pause) => pause === 0);
  assert.ok(allowed.length > 3 * pauses.filter((pause) => pause === 0).length);
});

test('processes that have ended no longer slow down the others', () => {
  const clock = fakeClock();
  const credits = new Credits(clock);
  const others = Array.from({ length: 40 }, () => credits.open());
  for (const other of others) other.charge(100 * MEBIBYTE, 'question');
  for (const other of others) other.end();
  assert.ok(credits.open().charge(2 * MEBIBYTE, 'question') < 1000);
});

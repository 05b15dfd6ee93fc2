import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LifeSigns, usedMilliseconds } from '../../../../daemon/plugin-host/isolation/life-signs.ts';
import { fakeClock } from '../../../fakes/clock.ts';

/** A process that computes for the fraction `busy` of the time, and has not answered `waiting` questions of the daemon. */
function watched(busy: number, waiting: number) {
  const clock = fakeClock();
  const process = { busy, pings: 0, blocked: undefined as number | undefined };
  const peer = {
    waiting,
    isPaused: false,
    ask() {
      process.pings += 1;
      peer.waiting += 1;
      return new Promise<never>(() => undefined);
    },
  };
  const signs = new LifeSigns({
    clock,
    peer,
    usedMilliseconds: () => clock.monotonic() * process.busy,
    blocked: (seconds) => (process.blocked = seconds),
  });
  const answer = () => {
    peer.waiting = waiting;
    signs.heard();
  };
  return { clock, process, peer, answer };
}

test('a process that computes and sends nothing is reported as blocked after ten seconds', async () => {
  const { clock, process } = watched(1, 1);
  await clock.advance(9999);
  assert.equal(process.blocked, undefined);
  await clock.advance(1);
  assert.equal(process.blocked, 10);
});

test('a process that hardly gets the processor and sends nothing is reported as blocked only after half a minute', async () => {
  const { clock, process } = watched(0.02, 1);
  await clock.advance(29_999);
  assert.equal(process.blocked, undefined);
  await clock.advance(1);
  assert.equal(process.blocked, 30);
});

test('a process that computes and answers is not reported as blocked', async () => {
  const { clock, process, answer } = watched(1, 1);
  for (let times = 0; times < 100; times += 1) {
    await clock.advance(9000);
    answer();
  }
  assert.equal(process.blocked, undefined);
  assert.ok(process.pings > 0);
});

test('a process at rest gets no pings, and one that computes while nobody waits for it must answer them', async () => {
  const rest = watched(0, 0);
  await rest.clock.advance(3_600_000);
  assert.equal(rest.process.pings, 0);
  rest.process.busy = 0.9;
  await rest.clock.advance(20_000);
  assert.equal(rest.process.blocked, 10);
  const computing = watched(0.9, 0);
  for (let times = 0; times < 100; times += 1) {
    await computing.clock.advance(5000);
    if (computing.peer.waiting > 0) computing.answer();
  }
  assert.ok(computing.process.pings > 0);
  assert.equal(computing.process.blocked, undefined);
});

test('a process from which the daemon does not read at the moment is not reported as blocked', async () => {
  const { clock, process, peer } = watched(1, 1);
  peer.isPaused = true;
  await clock.advance(120_000);
  assert.equal(process.blocked, undefined);
});

test('the processor time that a process has used is read from the system', () => {
  const { user, system } = process.cpuUsage();
  const used = usedMilliseconds(process.pid);
  const later = process.cpuUsage();
  assert.ok(used >= (user + system) / 1000 - 30, `${used} ${user + system}`);
  assert.ok(used <= (later.user + later.system) / 1000 + 30, `${used} ${later.user + later.system}`);
  assert.equal(usedMilliseconds(undefined), 0);
});

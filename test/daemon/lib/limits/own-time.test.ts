import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { OwnTimeMeter, readThread, type ThreadReading } from '../../../../daemon/lib/limits/own-time.ts';

function started(t: TestContext, code: string): ChildProcess {
  const child = spawn(process.execPath, ['-e', code], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

test("a thread's processor time and whether it sleeps are read from the kernel", async (t) => {
  const before = process.threadCpuUsage();
  const reading = readThread(process.pid);
  const after = process.threadCpuUsage();
  assert.ok(reading !== undefined);
  assert.equal(reading.isAsleep, false);
  assert.ok(reading.computed >= (before.user + before.system) / 1000 - 30, String(reading.computed));
  assert.ok(reading.computed <= (after.user + after.system) / 1000 + 30, String(reading.computed));
  const { pid } = started(t, 'setInterval(() => {}, 1e9)');
  while (readThread(pid)?.isAsleep !== true) await setTimeout(10);
  assert.equal(readThread(undefined), undefined);
});

test('a stopped process counts as asleep', async (t) => {
  const child = started(t, 'for (;;);');
  while ((readThread(child.pid)?.computed ?? 0) < 50) await setTimeout(10);
  child.kill('SIGSTOP');
  while (readThread(child.pid)?.isAsleep !== true) await setTimeout(10);
});

test('a meter adds what a thread computed and slept, and leaves out what it waited for a processor', () => {
  const readings: (ThreadReading | undefined)[] = [
    { at: 0, computed: 100, isAsleep: false },
    // it waited for a processor for 900 ms
    { at: 1000, computed: 200, isAsleep: false },
    // it fell asleep at an unknown moment
    { at: 2000, computed: 250, isAsleep: true },
    { at: 3000, computed: 260, isAsleep: true },
    undefined,
    { at: 9000, computed: 260, isAsleep: true },
    { at: 10_000, computed: 260, isAsleep: true },
  ];
  const meter = new OwnTimeMeter(() => readings.shift());
  assert.deepEqual(meter.look(), { computed: 100, slept: 0 });
  assert.deepEqual(meter.look(), { computed: 150, slept: 0 });
  assert.deepEqual(meter.look(), { computed: 160, slept: 990 });
  for (let times = 0; times < 2; times += 1) assert.deepEqual(meter.look(), { computed: 160, slept: 990 });
  meter.restart();
  assert.deepEqual(meter.look(), { computed: 0, slept: 0 });
});

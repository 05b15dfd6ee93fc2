import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPeriodic } from '../../../daemon/lib/periodic.ts';
import { sleep } from '../../../daemon/lib/clock.ts';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

test('periodic work starts only at multiples of its interval, however long it takes, and never overlaps itself', async (t) => {
  const { services, clock } = await startInProcess(t);
  const started: number[] = [];
  const stop = startPeriodic(services, 'work', 10, async () => {
    started.push(clock.monotonic() / 1000);
    await sleep(clock, started.length === 2 ? 25_000 : 3000);
  });
  await clock.advance(64_000);
  await stop();
  assert.deepEqual(started, [10, 20, 50, 60]);
});

import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { DoctorRuns } from '../../../daemon/observe/doctor-runs.ts';

const partsWith = (configFile: string, stopping = new AbortController().signal) => ({
  configFile,
  environment: { PATH: process.env['PATH'], LISTEN_FDS: '3', NOTIFY_SOCKET: '/nowhere' },
  clock: { now: () => 7 },
  stopping,
});

async function ended(runs: DoctorRuns): Promise<void> {
  while (runs.isRunning) await wait(20);
}

describe('the doctor beside the daemon', () => {
  it('says why it could not look, and looks again when it is asked', async () => {
    const runs = new DoctorRuns(partsWith('/nowhere/ironic.conf'));
    assert.deepEqual([runs.last, runs.isRunning], [undefined, false]);
    runs.begin();
    runs.begin();
    assert.equal(runs.isRunning, true);
    await ended(runs);
    assert.deepEqual([runs.last?.at, runs.last?.findings], [7, []]);
    assert.match(runs.last?.failure ?? '', /\/nowhere\/ironic\.conf: no such file/);
    const { last } = runs;
    runs.begin();
    await ended(runs);
    assert.notEqual(runs.last, last);
  });

  it('ends with the daemon, and leaves no result', async () => {
    const stopping = new AbortController();
    const runs = new DoctorRuns(partsWith('/dev/null', stopping.signal));
    runs.begin();
    stopping.abort(new Error('the service is stopping'));
    await ended(runs);
    runs.begin();
    assert.deepEqual([runs.last, runs.isRunning], [undefined, false]);
  });
});

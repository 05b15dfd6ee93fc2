import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secondsOf } from '../../../../daemon/plugin-api/contract/intervals.ts';
import { DaemonProcess } from '../../../fakes/daemon/daemon-process.ts';

const interval = { section: 'acme', option: 'pause' };
const inOption = (pause?: unknown) => secondsOf(interval, { acme: { pause } });

test('an interval is a number of seconds, or that of an option; an option below 0 disables the work', () => {
  assert.equal(secondsOf(5, {}), 5);
  assert.deepEqual([0, -1, 1, 1.5, 2_000_000].map(inOption), [0, 0, 1, 1.5, 2_000_000]);
});

test('an option that holds no interval is refused, because a timer would run without pause or never', () => {
  for (const pause of [
    0.01,
    2_000_001,
    2_147_484,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '5',
    null,
    undefined,
  ])
    assert.throws(
      () => inOption(pause),
      /^Error: \[acme\] pause is .*: expected 0, or a number of seconds from 1 to 2000000$/,
    );
});

test('a daemon with an option that holds no interval ends at its start and names the option', async () => {
  await assert.rejects(
    DaemonProcess.start({ IRONIC_IPMI__HEALTH_INTERVAL: '3000000' }),
    /the daemon ended: .*\[ipmi\] health_interval is 3000000.*expected 0, or a number of seconds/s,
  );
});

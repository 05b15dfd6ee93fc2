import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastSeenOfInspection } from '../../../../daemon/conductor/flows/waits.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { fakeNode } from '../../../fakes/task.ts';

test('the reason of a failed inspection names the lookup by the ramdisk, or says that no ramdisk was heard from', async (t) => {
  const { services } = await startInProcess(t);
  const inspection_started_at = '2026-01-01T00:00:00.000+00:00';
  const booted = fakeNode({ power_state: 'power on', inspection_started_at });
  assert.match(
    lastSeenOfInspection({ node: booted, services }),
    /since 2026.* nothing was heard from a ramdisk of the machine, which is "power on": check DHCP, network boot/,
  );
  const lookedUp = fakeNode({ driver_internal_info: { agent_last_lookup: inspection_started_at } });
  assert.match(
    lastSeenOfInspection({ node: lookedUp, services }),
    /looked the node up at 2026.*ramdisk's journal/,
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redfishManagement } from '../../../../plugins/redfish/management/management.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { redfishLab } from '../redfish-lab.ts';

test('indicators of a chassis or drive that cannot be read are left out, and asking for one of them says why', async (t) => {
  const { bmc, task } = await redfishLab(t);
  const all = (await redfishManagement.listIndicators?.(task)) ?? [];
  bmc.faults.add({ path: '/Drives/D1', times: 99, does: { kind: 'answer', status: 403 } });
  bmc.faults.add({ path: bmc.paths.chassis, times: 99, does: { kind: 'answer', status: 400 } });
  const left = (await redfishManagement.listIndicators?.(task)) ?? [];
  assert.deepEqual(
    left.map(({ component, name }) => `${component} ${name}`),
    ['system 33333333-3333-4333-8333-333333333333', 'disk S1:D2'],
  );
  const hidden = all.find(({ name }) => name === 'S1:D1');
  assert.ok(hidden !== undefined);
  await rejectsFault(
    redfishManagement.getIndicatorState?.(task, hidden) ?? Promise.resolve(),
    'InvalidParameter',
    /has no S1:D1 of disk any more; .*\/Drives\/D1\): HTTP status 403/,
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFakeRedfish } from '#plugin-api/fake-redfish';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

test('a node becomes manageable although its BMC does not show its clock', async (t) => {
  const fake = await startFakeRedfish({ shape: 'dell9' });
  t.after(() => fake.stop());
  fake.bmc.faults.add({ path: fake.bmc.paths.manager, times: 99, does: { kind: 'answer', status: 403 } });
  const daemon = await startInProcess(t, { ini: 'enabled_hardware_types = redfish\n' });
  const { uuid } = await daemon.createNode({
    driver: 'redfish',
    driver_info: { redfish_address: fake.address, redfish_username: 'admin', redfish_password: 'secret' },
  });
  await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target: 'manage' } });
  await daemon.idle();
  const { provision_state, last_error } = daemon.node(uuid);
  assert.deepEqual([provision_state, last_error], ['manageable', null]);
  assert.match(daemon.log(), /"unread":\["its clock: HTTP status 403"\]/);
});

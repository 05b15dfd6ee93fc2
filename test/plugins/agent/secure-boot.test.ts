import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { JsonObject, ManagementInterface, Task } from '../../../daemon/plugin-api/index.ts';
import { throughRamdisk } from '../../../plugins/agent/deploy/through-ramdisk.ts';
import { prepareInstance } from '../../../plugins/agent/ramdisk-boot.ts';
import { virtualMediaBoot } from '../../../plugins/redfish/boot/virtual-media-boot.ts';
import { redfishManagement } from '../../../plugins/redfish/management/management.ts';
import { redfishPower } from '../../../plugins/redfish/power/power.ts';
import { redfishLab } from '../redfish/redfish-lab.ts';

const ofInstance = { instance_info: { capabilities: { secure_boot: 'true' } } };

async function machineOf(
  t: TestContext,
  node: JsonObject,
  management: ManagementInterface = redfishManagement,
) {
  const driver = { boot: virtualMediaBoot, management, power: redfishPower, deploy: {} };
  const lab = await redfishLab(t, { node, task: { driver: driver as unknown as Task['driver'] } });
  const setPower: Task['setPower'] = (target) => redfishPower.setPowerState(lab.task, target, 60);
  Object.assign(lab.task, { setPower });
  return lab;
}

test('a machine boots with Secure Boot when its instance asks for that, and without it when the instance is gone', async (t) => {
  const { task, machine } = await machineOf(t, { ...ofInstance, provision_state: 'deploying' });
  machine.power = 'On';
  await prepareInstance(task);
  assert.deepEqual([machine.power, machine.secureBoot], ['On', false]);
  await task.setPower('rebooting');
  assert.equal(machine.secureBoot, true);

  Object.assign(task.node, { provision_state: 'deleting' });
  await throughRamdisk.tearDown?.(task);
  await task.setPower('power on');
  assert.equal(machine.secureBoot, false);
});

for (const [title, node] of [
  [
    'the capability is in properties and not in instance_info',
    { provision_state: 'deploying', properties: { capabilities: 'secure_boot:true' } },
  ],
  ['the instance runs already', { ...ofInstance, provision_state: 'servicing' }],
] as const)
  test(`Secure Boot is left as it is when ${title}`, async (t) => {
    const { task, machine } = await machineOf(t, node);
    await prepareInstance(task);
    await task.setPower('power on');
    assert.equal(machine.secureBoot, false);
  });

test('a management interface that cannot switch Secure Boot is logged', async (t) => {
  const without = Object.fromEntries(
    Object.entries(redfishManagement).filter(([name]) => name !== 'setSecureBoot'),
  ) as unknown as ManagementInterface;
  const { task } = await machineOf(t, { ...ofInstance, provision_state: 'deploying' }, without);
  await prepareInstance(task);
  assert.match(
    task.logged.map(({ message }) => message).join('\n'),
    /the management interface cannot switch Secure Boot on/,
  );
});

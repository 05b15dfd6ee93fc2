// The fake interfaces that have operations.
import assert from 'node:assert/strict';
import test from 'node:test';
import { powerTargets } from '../../../daemon/model/power-states.ts';
import { fakeBios } from '../../../plugins/fake/bios.ts';
import { fakeConsole } from '../../../plugins/fake/console.ts';
import { fakeFirmware } from '../../../plugins/fake/firmware.ts';
import { fakeInspect } from '../../../plugins/fake/inspect.ts';
import { fakeManagement } from '../../../plugins/fake/management.ts';
import { fakePower } from '../../../plugins/fake/power.ts';
import { fakeRaid } from '../../../plugins/fake/raid.ts';
import { fakeVendor } from '../../../plugins/fake/vendor.ts';
import { fakeTask } from '../../fakes/task.ts';

const delays = {
  inspect_delay: '2',
  management_delay: '3',
  power_delay: '4',
  bios_delay: '5',
  firmware_delay: '6',
  raid_delay: '7',
  vendor_delay: '8',
};
const slowTask = (node = {}) => fakeTask({ node, configuration: { fake: delays } });

test('the power state is the recorded one, also when none is recorded', async () => {
  assert.equal(await fakePower.getPowerState(slowTask({ power_state: 'power on' })), 'power on');
  assert.equal(await fakePower.getPowerState(slowTask()), null);
});

test('every power target is supported and reached after the delay', async () => {
  assert.deepEqual(new Set(fakePower.supportedTargets), new Set(powerTargets));
  for (const target of powerTargets) {
    const task = slowTask();
    await fakePower.setPowerState(task, target, 60);
    assert.deepEqual(task.done, ['sleep 4000']);
  }
});

test('the machine boots from the network, once', async () => {
  const task = slowTask();
  assert.deepEqual(fakeManagement.supportedBootDevices(task), ['pxe']);
  assert.deepEqual(await fakeManagement.getBootDevice(task), { boot_device: 'pxe', persistent: false });
  await fakeManagement.setBootDevice(task, 'pxe', false);
  assert.deepEqual(task.done, ['sleep 3000', 'sleep 3000']);
});

test('no other boot device can be set', async () => {
  const task = slowTask();
  await assert.rejects(fakeManagement.setBootDevice(task, 'disk', false), {
    code: 'InvalidParameter',
    message: /boot_device: disk.*takes pxe/,
  });
  assert.deepEqual(task.done, []);
});

test('inspection is complete after the delay and cannot be waited for', async () => {
  const task = slowTask();
  assert.equal(await fakeInspect.inspectHardware(task), 'manageable');
  assert.deepEqual(task.done, ['sleep 2000']);
  assert.equal('abort' in fakeInspect, false);
});

test('the lights are always on', async () => {
  const task = slowTask();
  const [first, second] = (await fakeManagement.listIndicators?.(task)) ?? [];
  assert.deepEqual([first?.name, second?.name], ['led-0', 'led']);
  assert.ok(second);
  assert.equal(await fakeManagement.getIndicatorState?.(task, second), 'on');
  assert.deepEqual(task.done, ['sleep 3000', 'sleep 3000']);
});

test('what the machine does not have, it has no operation for', () => {
  for (const name of ['setIndicatorState', 'setBootMode', 'setSecureBoot', 'injectNmi', 'attachVirtualMedia'])
    assert.equal(name in fakeManagement, false, name);
  assert.equal('readComponents' in fakeFirmware, false);
});

test('BIOS settings are those that were last applied, until they are reset', async () => {
  const task = slowTask({ driver_internal_info: { other: 1 } });
  assert.deepEqual(await fakeBios.readSettings?.(task), []);
  const settings = [{ name: 'boot', value: 'uefi' }];
  await fakeBios.applyConfiguration?.(task, settings);
  assert.deepEqual(await fakeBios.readSettings?.(task), settings);
  assert.equal(task.node.driver_internal_info['other'], 1);
  await fakeBios.factoryReset?.(task);
  assert.deepEqual(await fakeBios.readSettings?.(task), []);
  assert.deepEqual(task.sleeps, [5000, 5000, 5000, 5000, 5000]);
});

test('firmware and RAID take their time and change nothing', async () => {
  const task = slowTask();
  await fakeFirmware.update?.(task, [{ component: 'bmc', url: 'http://images/bmc' }]);
  await fakeRaid.createConfiguration?.(task);
  await fakeRaid.deleteConfiguration?.(task);
  assert.deepEqual(task.done, ['sleep 6000', 'sleep 7000', 'sleep 7000']);
});

test('a console starts and stops at once', async () => {
  const task = slowTask();
  await fakeConsole.validate(task);
  await fakeConsole.startConsole?.(task);
  await fakeConsole.stopConsole?.(task);
  assert.deepEqual(await fakeConsole.getConsole?.(task), {});
  assert.deepEqual(task.done, []);
});

for (const name of Object.keys(fakeVendor.nodeMethods ?? {})) {
  test(`the vendor method ${name} takes its time`, async () => {
    const task = slowTask();
    await fakeVendor.nodeMethods?.[name]?.call(task, { bar: 'x' }, 'POST');
    assert.deepEqual(task.done, ['sleep 8000']);
  });
}

for (const [type, fake] of Object.entries({
  bios: fakeBios,
  firmware: fakeFirmware,
  inspect: fakeInspect,
  management: fakeManagement,
  power: fakePower,
  raid: fakeRaid,
  vendor: fakeVendor,
})) {
  test(`validating the fake ${type} interface takes no time and reports a delay that is none`, () => {
    const task = slowTask();
    void fake.validate(task);
    assert.deepEqual(task.done, []);
    const configuration = { fake: { ...delays, [`${type}_delay`]: 'x' } };
    assert.throws(() => fake.validate(fakeTask({ configuration })), {
      message: new RegExp(`\\[fake\\] ${type}_delay is "x"`),
    });
  });
}

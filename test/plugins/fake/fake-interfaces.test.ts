// The fake interfaces for bios, console, firmware, inspect, management, power and vendor.
import assert from 'node:assert/strict';
import test from 'node:test';
import { powerTargets } from '../../../daemon/model/states/power-states.ts';
import { fakeBios } from '../../../plugins/fake/bios.ts';
import { fakeConsole } from '../../../plugins/fake/console.ts';
import { fakeFirmware } from '../../../plugins/fake/firmware.ts';
import { fakeInspect } from '../../../plugins/fake/inspect.ts';
import { fakeManagement } from '../../../plugins/fake/management.ts';
import { fakePower } from '../../../plugins/fake/power.ts';
import { fakeVendor } from '../../../plugins/fake/vendor.ts';
import { fakeTask } from '../../fakes/task.ts';

const delays = {
  inspect_delay: '2',
  management_delay: '3',
  power_delay: '4',
  bios_delay: '5',
  firmware_delay: '6',
  vendor_delay: '8',
};
const slowTask = (node = {}) => fakeTask({ node, configuration: { fake: delays } });

test('the power state is the recorded one, or null', async () => {
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

test('the boot device is pxe and not persistent', async () => {
  const task = slowTask();
  assert.deepEqual(await fakeManagement.supportedBootDevices(task), ['pxe']);
  assert.deepEqual(await fakeManagement.getBootDevice(task), { boot_device: 'pxe', persistent: false });
  await fakeManagement.setBootDevice(task, 'pxe', false);
  assert.deepEqual(task.done, ['sleep 3000', 'sleep 3000']);
});

test('a boot device other than pxe is refused', async () => {
  const task = slowTask();
  await assert.rejects(fakeManagement.setBootDevice(task, 'disk', false), {
    code: 'InvalidParameter',
    message: /boot_device: disk.*supports pxe/,
  });
  assert.deepEqual(task.done, []);
});

test('inspection finishes after the delay and has no abort', async () => {
  const task = slowTask();
  assert.equal(await fakeInspect.inspectHardware(task), 'manageable');
  assert.deepEqual(task.done, ['sleep 2000']);
  assert.equal('abort' in fakeInspect, false);
});

test('two indicators are listed, and the state of an indicator is on', async () => {
  const task = slowTask();
  const [first, second] = (await fakeManagement.listIndicators?.(task)) ?? [];
  assert.deepEqual([first?.name, second?.name], ['led-0', 'led']);
  assert.ok(second);
  assert.equal(await fakeManagement.getIndicatorState?.(task, second), 'on');
  assert.deepEqual(task.done, ['sleep 3000', 'sleep 3000']);
});

test('fake interfaces lack setIndicatorState, setBootMode, setSecureBoot, injectNmi, attachVirtualMedia and readComponents', () => {
  for (const name of ['setIndicatorState', 'setBootMode', 'setSecureBoot', 'injectNmi', 'attachVirtualMedia'])
    assert.equal(name in fakeManagement, false, name);
  assert.equal('readComponents' in fakeFirmware, false);
});

test('BIOS settings are the last applied ones until a factory reset', async () => {
  const task = slowTask({ driver_internal_info: { other: 1 } });
  const { apply_configuration: apply, factory_reset: reset } = fakeBios.steps ?? {};
  assert.deepEqual(await fakeBios.readSettings?.(task), []);
  for (const settings of [
    [{ name: 'boot', value: 'uefi' }],
    [
      { name: 'cores', value: '8' },
      { name: 'turbo', value: null },
    ],
  ]) {
    assert.equal(await apply?.run(task, { settings }), 'done');
    assert.deepEqual(await fakeBios.readSettings?.(task), settings);
  }
  assert.equal(task.node.driver_internal_info['other'], 1);
  assert.equal(await reset?.run(task, {}), 'done');
  assert.deepEqual(await fakeBios.readSettings?.(task), []);
  assert.deepEqual(new Set(task.sleeps), new Set([5000]));
});

test('BIOS settings that are not a list of names and values are refused', async () => {
  const wrong = [
    null,
    'boot',
    {},
    ['boot'],
    [{ value: 'x' }],
    [{ name: 1 }],
    [{ name: 'a', value: [] }],
    [null],
  ];
  for (const settings of wrong) {
    const task = slowTask();
    await assert.rejects(
      fakeBios.steps?.['apply_configuration']?.run(task, { settings }) ?? Promise.resolve(),
      {
        code: 'InvalidParameter',
        message: /settings: .* is not a list of/,
      },
    );
    assert.deepEqual(task.done, []);
  }
});

test('a firmware update takes the firmware delay', async () => {
  const task = slowTask();
  const settings = [{ component: 'bmc', url: 'http://images/bmc' }];
  assert.equal(await fakeFirmware.steps?.['update']?.run(task, { settings }), 'done');
  assert.deepEqual(task.done, ['sleep 6000']);
});

test('log_passthrough has clean priority 1, and trigger_servicewait waits', async () => {
  const task = slowTask();
  const { log_passthrough: log, trigger_servicewait: trigger } = fakeVendor.steps ?? {};
  assert.deepEqual(log?.priorities, { clean: 1, service: 0 });
  assert.equal(await log?.run(task, {}), 'done');
  assert.equal(await trigger?.run(task, {}), 'wait');
  assert.deepEqual(task.done, ['sleep 8000']);
});

test('a console starts and stops without a delay', async () => {
  const task = slowTask();
  await fakeConsole.validate(task);
  await fakeConsole.startConsole?.(task);
  await fakeConsole.stopConsole?.(task);
  assert.deepEqual(await fakeConsole.getConsole?.(task), {});
  assert.deepEqual(task.done, []);
});

for (const name of Object.keys(fakeVendor.nodeMethods ?? {})) {
  test(`the vendor method ${name} takes the vendor delay`, async () => {
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
  vendor: fakeVendor,
})) {
  test(`validating the fake ${type} interface takes no time and reports an invalid delay`, () => {
    const task = slowTask();
    void fake.validate(task);
    assert.deepEqual(task.done, []);
    const configuration = { fake: { ...delays, [`${type}_delay`]: 'x' } };
    assert.throws(() => fake.validate(fakeTask({ configuration })), {
      message: new RegExp(`\\[fake\\] ${type}_delay is "x"`),
    });
  });
}

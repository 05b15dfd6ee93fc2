import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapeNames } from '#plugin-api/fake-redfish';
import type { BootDevice, Indicator, Task } from '../../../../daemon/plugin-api/index.ts';
import { bootFrom } from '../../../../plugins/redfish/management/boot-device.ts';
import { redfishManagement } from '../../../../plugins/redfish/management/management.ts';
import { redfishPower } from '../../../../plugins/redfish/power/power.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { redfishLab, type RedfishLab } from '../redfish-lab.ts';

const setBootDevice = (task: Task, device: BootDevice, persistent: boolean) =>
  redfishManagement.setBootDevice(task, device, persistent);
const getBootDevice = (task: Task) => redfishManagement.getBootDevice(task);

const bodies = ({ bmc }: RedfishLab) =>
  bmc.requests
    .filter(({ method, status }) => method === 'PATCH' && status < 300)
    .map(({ path, body }) => [path, body]);

test('the boot device is set and read back, on every simulated BMC', async (t) => {
  for (const shape of shapeNames) {
    const { machine, task } = await redfishLab(t, { shape });
    for (const device of ['pxe', 'disk', 'cdrom', 'bios'] as const satisfies readonly BootDevice[]) {
      await setBootDevice(task, device, false);
      assert.deepEqual(
        await getBootDevice(task),
        { boot_device: device, persistent: false },
        `${shape} ${device}`,
      );
    }
    assert.equal(machine.boot.BootSourceOverrideMode, 'UEFI', shape);
  }
});

test('setting a boot device needs one request when the BMC was read a moment ago', async (t) => {
  const { bmc, task } = await redfishLab(t, { differences: { etag: 'strong' } });
  await setBootDevice(task, 'pxe', false);
  await redfishPower.getPowerState(task);
  bmc.forget();
  await setBootDevice(task, 'disk', true);
  assert.deepEqual(bmc.forget(), ['PATCH /redfish/v1/Systems/1']);
});

test('a persistent boot device is set again before each power-on where the BMC takes devices for one boot only', async (t) => {
  const lab = await redfishLab(t, { differences: { takesContinuous: false } });
  const { machine, task } = lab;
  await setBootDevice(task, 'disk', true);
  assert.deepEqual(task.node.driver_internal_info['redfish_boot_device'], { device: 'disk' });
  assert.equal(machine.boot.BootSourceOverrideEnabled, 'Once');
  await redfishPower.setPowerState(task, 'power on', 60);
  assert.equal(machine.boot.BootSourceOverrideEnabled, 'Disabled');
  await redfishPower.setPowerState(task, 'rebooting', 60);
  const targets = bodies(lab).map(([, body]) => body);
  assert.equal(targets.length, 3);
  await setBootDevice(task, 'pxe', false);
  assert.equal(task.node.driver_internal_info['redfish_boot_device'], undefined);
});

test('a boot device that could not be set again at a power-on is set with its URL at the next one', async (t) => {
  const lab = await redfishLab(t, { differences: { takesContinuous: false } });
  const { bmc, task } = lab;
  const url = 'http://192.0.2.9/boot.iso';
  // one for each request that the BMC has accepted
  const devicesSent = () => bodies(lab).map(([, body]) => JSON.stringify(body));
  await bootFrom(task, 'uefihttp', { isPersistent: true, url });
  const sent = devicesSent().length;
  // refuses the device for every boot, and then the device for one boot
  bmc.faults.add({
    method: 'PATCH',
    path: '/Systems/1',
    times: 6,
    does: { kind: 'answer', status: 500, body: {} },
  });
  await redfishPower.setPowerState(task, 'power on', 60);
  await redfishPower.setPowerState(task, 'rebooting', 60);
  const renewed = devicesSent().slice(sent);
  // the first power-on could not set the device
  assert.equal(renewed.length, 1);
  assert.match(renewed.join(), /UefiHttp.*boot\.iso/);
});

test('boot settings in a resource of their own are changed there', async (t) => {
  const lab = await redfishLab(t, { shape: 'dell10' });
  await setBootDevice(lab.task, 'pxe', false);
  const at = '/redfish/v1/Systems/System.Embedded.1/Settings';
  assert.deepEqual(bodies(lab), [
    [at, { Boot: { BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Once' } }],
  ]);
});

test('AMI gets target, enabled and mode together, in a resource that the system does not link', async (t) => {
  const lab = await redfishLab(t, { shape: 'ami' });
  await setBootDevice(lab.task, 'pxe', false);
  const Boot = {
    BootSourceOverrideTarget: 'Pxe',
    BootSourceOverrideEnabled: 'Once',
    BootSourceOverrideMode: 'UEFI',
  };
  assert.deepEqual(bodies(lab), [['/redfish/v1/Systems/Self/SD', { Boot }]]);
});

test('Supermicro boots virtual media as UsbCd and gets the boot mode each time', async (t) => {
  const lab = await redfishLab(t, { shape: 'supermicro' });
  await setBootDevice(lab.task, 'cdrom', false);
  const Boot = {
    BootSourceOverrideTarget: 'UsbCd',
    BootSourceOverrideEnabled: 'Once',
    BootSourceOverrideMode: 'UEFI',
  };
  assert.deepEqual(bodies(lab), [['/redfish/v1/Systems/1', { Boot }]]);
});

test('an operator can record that a BMC takes target, enabled and mode only together', async (t) => {
  for (const settings of [
    { node: { properties: { vendor: 'redfish_compatible' } } },
    { info: { redfish_quirks: { bootFull: true } } },
  ]) {
    const lab = await redfishLab(t, settings);
    await setBootDevice(lab.task, 'pxe', false);
    assert.equal(lab.machine.boot.BootSourceOverrideTarget, 'Pxe');
    assert.deepEqual(Object.keys(bodies(lab)[0]?.[1] as object), ['Boot']);
    assert.match(JSON.stringify(bodies(lab)), /BootSourceOverrideMode/);
  }
});

test('a change during the power-on self test waits for its end and leaves the power alone', async (t) => {
  const { machine, task } = await redfishLab(t, { shape: 'hpe' });
  machine.enterPost(12);
  await setBootDevice(task, 'pxe', false);
  assert.equal(machine.boot.BootSourceOverrideTarget, 'Pxe');
  assert.deepEqual(task.sleeps, [5000, 10_000]);
  assert.deepEqual(machine.resets, []);
});

test('a device that the BMC does not offer is refused before anything is sent', async (t) => {
  const { bmc, task } = await redfishLab(t, { shape: 'openbmc' });
  await rejectsFault(
    setBootDevice(task, 'uefihttp', false),
    'InvalidParameter',
    /the BMC offers None, Pxe, Hdd, Cd/,
  );
  assert.equal(
    bmc.requests.some(({ method }) => method === 'PATCH'),
    false,
  );
});

test('a URL to boot from needs a BMC that takes one, and is removed when another boot device is set', async (t) => {
  const without = await redfishLab(t, { differences: { hasHttpBootUri: false } });
  const from = { isPersistent: false, url: 'http://192.0.2.9/boot.iso' };
  await rejectsFault(bootFrom(without.task, 'uefihttp', from), 'InvalidParameter', /takes no URL/);
  const { machine, task } = await redfishLab(t);
  await bootFrom(task, 'uefihttp', from);
  assert.equal(machine.boot.HttpBootUri, from.url);
  await setBootDevice(task, 'disk', true);
  assert.equal(machine.boot.HttpBootUri, null);
});

test('the boot mode is set and read, where the BMC has one', async (t) => {
  const { machine, task } = await redfishLab(t);
  assert.equal(await redfishManagement.getBootMode?.(task), 'uefi');
  await redfishManagement.setBootMode?.(task, 'bios');
  assert.equal(machine.boot.BootSourceOverrideMode, 'Legacy');
  assert.equal(await redfishManagement.getBootMode?.(task), 'bios');
  const hpe = await redfishLab(t, { shape: 'hpe' });
  assert.equal(await redfishManagement.getBootMode?.(hpe.task), null);
  await rejectsFault(
    redfishManagement.setBootMode?.(hpe.task, 'bios') ?? Promise.resolve(),
    'UnsupportedDriverExtension',
    /neither shows nor takes one/,
  );
});

test('Secure Boot takes effect after a reboot that leaves the machine off as before, and needs boot mode uefi', async (t) => {
  const lab = await redfishLab(t);
  const { machine, task } = lab;
  const power = { ...redfishPower };
  Object.assign(task, {
    driver: { power, management: redfishManagement },
    setPower: (target: 'power on' | 'power off' | 'rebooting') =>
      redfishPower.setPowerState(task, target, 60),
  });
  await redfishManagement.setSecureBoot?.(task, true);
  assert.equal(machine.secureBoot, true);
  assert.equal(machine.power, 'Off');
  assert.equal(await redfishManagement.getSecureBoot?.(task), true);
  machine.boot = { ...machine.boot, BootSourceOverrideMode: 'Legacy' };
  await task.clock.advance(200_000);
  await rejectsFault(
    redfishManagement.setSecureBoot?.(task, true) ?? Promise.resolve(),
    'InvalidState',
    /needs boot mode uefi/,
  );
});

test('Secure Boot that needs a licence reads as unknown, and causes no new login', async (t) => {
  const { bmc, task } = await redfishLab(t, { shape: 'supermicro' });
  for (let count = 0; count < 5; count += 1)
    assert.equal(await redfishManagement.getSecureBoot?.(task), null);
  assert.equal(bmc.sessions.logins, 1);
});

test('the keys of Secure Boot are reset and cleared', async (t) => {
  const { machine, task } = await redfishLab(t);
  await redfishManagement.steps?.['clear_secure_boot_keys']?.run(task, {});
  assert.equal(machine.keys, 'DeleteAllKeys');
  await redfishManagement.steps?.['reset_secure_boot_keys_to_default']?.run(task, {});
  assert.equal(machine.keys, 'ResetAllKeysToDefault');
});

test('indicators of system, chassis and drives are listed; that of the system is set and read back', async (t) => {
  const { machine, task } = await redfishLab(t);
  const all = (await redfishManagement.listIndicators?.(task)) ?? [];
  assert.deepEqual(
    all.map(({ component, name }) => `${component} ${name}`),
    [
      'system 33333333-3333-4333-8333-333333333333',
      'chassis 44444444-4444-4444-8444-444444444444',
      'disk S1:D1',
      'disk S1:D2',
    ],
  );
  const [system] = all as readonly [Indicator];
  await redfishManagement.setIndicatorState?.(task, system, 'blinking');
  assert.equal(machine.led, 'Blinking');
  assert.equal(await redfishManagement.getIndicatorState?.(task, system), 'blinking');
});

test('a non-maskable interrupt is sent as a reset of the type Nmi', async (t) => {
  const { machine, task } = await redfishLab(t);
  await redfishManagement.injectNmi?.(task);
  assert.deepEqual(machine.resets, ['Nmi']);
});

test('MAC addresses come from the network cards, or else from the ports of their adapters', async (t) => {
  const macs = ['52:54:00:cc:00:01', '52:54:00:cc:00:02'];
  for (const shape of ['plain', 'dell10'] as const) {
    const { task } = await redfishLab(t, { shape });
    assert.deepEqual(await redfishManagement.getMacAddresses?.(task), macs, shape);
  }
});

test("the BMC's clock is set when it differs from the wanted time, and otherwise left alone", async (t) => {
  const { bmc, machine, task } = await redfishLab(t);
  const step = redfishManagement.steps?.['set_bmc_clock'];
  await step?.run(task, {});
  assert.equal(
    bmc.requests.some(({ method }) => method === 'PATCH'),
    false,
  );
  await step?.run(task, { target_datetime: '2026-06-01T12:00:00+02:00' });
  assert.equal(machine.dateTime, '2026-06-01T10:00:00+00:00');
  await rejectsFault(
    step?.run(task, { target_datetime: 'noon' }) ?? Promise.resolve(),
    'InvalidParameter',
    /"noon"/,
  );
});

test('the vendor is recorded once, and verify_bmc_clock only reads the clock by default', async (t) => {
  const { bmc, task } = await redfishLab(t, { shape: 'lenovo' });
  await redfishManagement.steps?.['record_vendor']?.run(task, {});
  assert.equal(task.node.properties['vendor'], 'Lenovo');
  bmc.forget();
  await redfishManagement.steps?.['record_vendor']?.run(task, {});
  assert.deepEqual(bmc.forget(), []);
  await redfishManagement.steps?.['verify_bmc_clock']?.run(task, {});
  assert.deepEqual(bmc.forget(), [`GET ${bmc.paths.manager}`]);
});

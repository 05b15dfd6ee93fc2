import assert from 'node:assert/strict';
import test, { after, before, beforeEach } from 'node:test';
import { ipmitoolManagement as management } from '../../../plugins/ipmi/management.ts';
import { ipmitoolPower } from '../../../plugins/ipmi/power.ts';
import { type IpmiSim, startIpmiSim } from '../../../daemon/simulator/ipmi/ipmi-sim.ts';
import { ipmiTask } from './ipmi-task.ts';

let sim: IpmiSim;
before(async () => {
  sim = await startIpmiSim();
});
after(() => sim.stop());
beforeEach(() => sim.behave('normal'));

for (const device of ['pxe', 'disk', 'cdrom', 'bios'] as const) {
  test(`the boot device ${device} can be set and is read back`, async () => {
    const task = ipmiTask(sim);
    await management.setBootDevice(task, device, false);
    assert.equal(sim.bootDevice(), device);
    assert.deepEqual(await management.getBootDevice(task), { boot_device: device, persistent: false });
  });
}

test('a refused request fails even when ipmitool reports success', async () => {
  await assert.rejects(
    management.setBootDevice(ipmiTask(sim), 'safe', false),
    /Setting the boot device to safe failed .*: it refused: "Set Chassis Boot Parameter 5 failed: Unspecified error"$/,
  );
});

test('an unsupported boot device is refused', async () => {
  await assert.rejects(management.setBootDevice(ipmiTask(sim), 'wanboot', false), {
    code: 'InvalidParameter',
    message:
      'Invalid input for boot_device: wanboot is not supported. Expected one of pxe, disk, bios, safe, cdrom.',
  });
  assert.deepEqual(await management.supportedBootDevices(ipmiTask(sim)), [
    'pxe',
    'disk',
    'bios',
    'safe',
    'cdrom',
  ]);
});

async function conversations(driverInfo: object, disable: boolean): Promise<number> {
  const task = ipmiTask(sim, { ...driverInfo }, { ipmi: { disable_boot_timeout: disable } });
  await management.setBootDevice(task, 'pxe', true);
  return task.conversations.length;
}

test('the node, or else the configuration, decides whether the 60 s boot timeout is disabled', async () => {
  assert.equal(await conversations({}, true), 2);
  assert.equal(await conversations({}, false), 1);
  assert.equal(await conversations({ ipmi_disable_boot_timeout: 'False' }, true), 1);
  assert.equal(await conversations({ ipmi_disable_boot_timeout: true }, false), 2);
});

test('a forced persistent boot device is set again at power on', async () => {
  const task = ipmiTask(sim, { ipmi_force_boot_device: true });
  await management.setBootDevice(task, 'disk', true);
  assert.deepEqual(task.node.driver_internal_info, { persistent_boot_device: 'disk' });
  assert.deepEqual(await management.getBootDevice(task), { boot_device: 'disk', persistent: true });
  await management.setBootDevice(ipmiTask(sim), 'cdrom', false);
  await ipmitoolPower.setPowerState(task, 'power on', 60);
  assert.equal(sim.bootDevice(), 'disk');
});

test('with a forced boot device, a one-time boot device lasts for one power on', async () => {
  const task = ipmiTask(sim, { ipmi_force_boot_device: 'true' });
  await management.setBootDevice(task, 'disk', true);
  await management.setBootDevice(task, 'pxe', false);
  assert.equal((await management.getBootDevice(task)).boot_device, 'pxe');
  await ipmitoolPower.setPowerState(task, 'power on', 60);
  assert.equal(sim.bootDevice(), 'pxe');
  await ipmitoolPower.setPowerState(task, 'rebooting', 60);
  assert.equal(sim.bootDevice(), 'disk');
});

test('validation refuses invalid driver_info', () => {
  assert.throws(() => management.validate(ipmiTask(sim, { ipmi_port: 0 })), /ipmi_port .* from 1 to 65535/);
  assert.throws(
    () => management.validate(ipmiTask(sim, { ipmi_disable_boot_timeout: 'perhaps' })),
    /ipmi_disable_boot_timeout .* Expected true or false/,
  );
  assert.doesNotThrow(() => management.validate(ipmiTask(sim)));
});

test('injecting a non-maskable interrupt fails when the BMC refuses it', async () => {
  // the simulated BMC does not support this chassis control
  await assert.rejects(
    Promise.resolve(management.injectNmi?.(ipmiTask(sim))),
    /Injecting a non-maskable interrupt failed .*: it refused: "Set Chassis Power Control to Diag failed: Invalid data field in request"$/,
  );
});

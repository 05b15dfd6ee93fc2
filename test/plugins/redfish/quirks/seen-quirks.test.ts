// Oddities of BMCs in the field that no other file tests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../daemon/plugin-api/index.ts';
import { redfishFirmware } from '../../../../plugins/redfish/firmware/firmware.ts';
import { redfishInspect } from '../../../../plugins/redfish/inspect/inspect.ts';
import { redfishManagement } from '../../../../plugins/redfish/management/management.ts';
import { attachVirtualMedia } from '../../../../plugins/redfish/management/media/virtual-media.ts';
import { isInserted } from '../../../../plugins/redfish/management/media/media-slots.ts';
import { redfishPower } from '../../../../plugins/redfish/power/power.ts';
import { progressIn } from '../../../../plugins/redfish/steps/redfish-task.ts';
import { refusalIn } from '../../../../plugins/redfish/bmc/error-body.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { redfishLab } from '../redfish-lab.ts';

const IMAGE = 'http://192.0.2.9/boot.iso';
const NO_LOGIN = { Username: '', Password: '' };

test('an HPE whose boot device is cleared takes a new one, because target and enabled are sent together', async (t) => {
  const { bmc, machine, task } = await redfishLab(t, { shape: 'hpe' });
  for (const device of ['pxe', 'cdrom'] as const) {
    await redfishManagement.setBootDevice(task, device, false);
    machine.reset('On');
    machine.reset('ForceOff');
  }
  const sent = bmc.requests.filter(({ method }) => method === 'PATCH');
  assert.deepEqual(
    sent.map(({ status, body }) => [status, body['Boot']]),
    ['Pxe', 'Cd'].map((target) => [
      200,
      { BootSourceOverrideTarget: target, BootSourceOverrideEnabled: 'Once' },
    ]),
  );
});

test('boot device UefiTarget of a Dell reads as unknown and is replaced by one request', async (t) => {
  const { bmc, machine, task } = await redfishLab(t, { shape: 'dell9' });
  machine.boot.BootSourceOverrideTarget = 'UefiTarget';
  machine.boot.BootSourceOverrideEnabled = 'Once';
  assert.deepEqual(await redfishManagement.getBootDevice(task), { boot_device: null, persistent: false });
  await redfishManagement.setBootDevice(task, 'cdrom', false);
  assert.equal(machine.boot.BootSourceOverrideTarget, 'Cd');
  assert.equal(bmc.requests.filter(({ method }) => method === 'PATCH').length, 1);
});

test('when an iDRAC refuses virtual media, the fault says what to change', async (t) => {
  for (const [managerFirmware, hint] of [
    ['4.40.10.00', /is eHTML5\. Set it to HTML5, or update to 4\.40\.40/],
    ['4.40.40.00', /only through the hardware type idrac/],
    ['7.10.30.00', /VirtualMedia\.1\.Attached of the iDRAC must be AutoAttach/],
  ] as const) {
    const { bmc, task } = await redfishLab(t, { shape: 'dell9', differences: { managerFirmware } });
    bmc.faults.add({
      method: 'POST',
      path: 'InsertMedia',
      times: 100,
      does: { kind: 'answer', status: 400, body: {} },
    });
    await rejectsFault(attachVirtualMedia(task, 'cdrom', IMAGE), 'VirtualMediaRefused', hint);
  }
});

test('the state of a task counts, not the status of the answer; a task in state New has not begun', () => {
  const told = { status: 'OK', messages: [] };
  assert.deepEqual(progressIn(202, 'Completed', told), { kind: 'succeeded' });
  assert.deepEqual(progressIn(200, 'New', told), { kind: 'waiting' });
});

test('one object in place of a list of messages is read', () => {
  const info = { MessageId: 'IDRAC.2.8.SYS402', Message: 'The method is not allowed.' };
  const { messages, reason } = refusalIn({
    status: 405,
    bytes: Buffer.from(JSON.stringify({ error: { '@Message.ExtendedInfo': info } })),
  });
  assert.deepEqual([messages, reason], [['SYS402'], 'The method is not allowed.']);
});

test('a slot of a Supermicro that still names an ejected image counts as empty', () => {
  const kept = { Image: IMAGE, ImageName: 'boot.iso', ConnectedVia: 'NotConnected' };
  assert.equal(isInserted(kept), false);
  assert.equal(isInserted({ ...kept, Inserted: false, ConnectedVia: 'URI' }), false);
});

test('an old Supermicro mounts, replaces and ejects images through its ISO configuration', async (t) => {
  const { bmc, machine, task } = await redfishLab(t, {
    shape: 'supermicro',
    differences: { mediaBy: 'IsoConfig', media: { CD1: ['CD', 'DVD'] } },
  });
  const drives = () => redfishManagement.listVirtualMedia?.(task);
  const [types, other] = [['CD', 'DVD'], 'http://192.0.2.9:8080/folder/other.iso?v=2'];
  assert.deepEqual(await drives(), [{ media_types: types, inserted: false, image: null }]);
  for (const url of [IMAGE, other]) {
    await attachVirtualMedia(task, 'cdrom', url);
    assert.equal(machine.media['CD1']?.image, url);
    assert.deepEqual(await drives(), [{ media_types: types, inserted: true, image: url }]);
  }
  const sent = bmc.requests.filter(({ method }) => ['PATCH', 'POST'].includes(method)).slice(1);
  assert.deepEqual(
    sent.map(({ path }) => path.slice(path.lastIndexOf('/') + 1)),
    ['CfgCD', 'IsoConfig.Mount', 'IsoConfig.UnMount', 'CfgCD', 'IsoConfig.Mount'],
  );
  assert.deepEqual(sent[3]?.body, {
    Host: 'http://192.0.2.9:8080',
    Path: '/folder/other.iso?v=2',
    ...NO_LOGIN,
  });
  await redfishManagement.detachVirtualMedia?.(task, ['cdrom']);
  assert.deepEqual(await drives(), [{ media_types: types, inserted: false, image: null }]);
});

test('an insertion fails when the ISO configuration of a Supermicro accepts the image and mounts nothing', async (t) => {
  const { bmc, task } = await redfishLab(t, {
    shape: 'supermicro',
    differences: { mediaBy: 'IsoConfig', media: { CD1: ['CD', 'DVD'] } },
  });
  bmc.faults.add({
    path: 'IsoConfig.Mount',
    does: { kind: 'answer', status: 200, body: {} },
  });
  const attached = attachVirtualMedia(task, 'cdrom', IMAGE);
  await rejectsFault(attached, 'VirtualMediaRefused', /accepted and is not there after 30 s/);
});

test('for a Lenovo that shows no virtual media, the fault says to update old firmware', async (t) => {
  const { task } = await redfishLab(t, { shape: 'lenovo', differences: { media: {} } });
  const reason =
    /no virtual media; a Lenovo XCC with firmware before 2\.50 shows no virtual media: update such firmware/;
  await rejectsFault(attachVirtualMedia(task, 'cdrom', IMAGE), 'InvalidParameter', reason);
});

test('when the settings of the system have no Boot, the boot device is set at the system itself', async (t) => {
  const { address, bmc, task } = await redfishLab(t, { shape: 'lenovo' });
  const { system } = bmc.paths;
  const headers = { authorization: `Basic ${btoa('admin:secret')}` };
  const shown = (await (await fetch(`${address}${system}`, { headers })).json()) as JsonObject;
  const settings = `${system}/Pending`;
  bmc.overrides.set(system, { ...shown, '@Redfish.Settings': { SettingsObject: { '@odata.id': settings } } });
  bmc.overrides.set(settings, { '@odata.id': settings, Id: 'Pending' });
  await redfishManagement.setBootDevice(task, 'pxe', false);
  const changes = bmc.requests.filter(({ method }) => method === 'PATCH');
  assert.deepEqual(
    changes.map(({ path, status }) => [path, status]),
    [[system, 200]],
  );
});

test('the first insertion into an NVIDIA DGX already has a user name and a password', async (t) => {
  const { bmc, machine, task } = await redfishLab(t, {
    differences: { manufacturer: 'NVIDIA', insertNeeds: ['UserName', 'Password'] },
  });
  await attachVirtualMedia(task, 'cdrom', IMAGE);
  assert.equal(machine.media['CD']?.image, IMAGE);
  const inserts = bmc.requests.filter(({ path }) => path.endsWith('InsertMedia'));
  assert.deepEqual(
    inserts.map(({ body }) => body),
    [{ Image: IMAGE, UserName: 'none', Password: 'none' }],
  );
});

test('power, sensors, inspection, verification and component versions need no FirmwareInventory', async (t) => {
  const { bmc, task } = await redfishLab(t);
  bmc.faults.add({ path: 'FirmwareInventory', times: 9, does: { kind: 'silence' } });
  await redfishPower.getPowerState(task);
  await redfishPower.readCondition?.(task);
  await redfishManagement.readSensors?.(task);
  await redfishInspect.inspectHardware(task);
  for (const step of Object.values(redfishManagement.steps ?? {}))
    if (step.priorities.verify !== undefined) await step.run(task, {});
  assert.ok((await redfishFirmware.readComponents?.(task))?.some(({ component }) => component === 'bmc'));
  assert.ok(bmc.requests.length > 20);
  assert.ok(!bmc.requests.some(({ path }) => path.includes('FirmwareInventory')));
});

test('a BMC is found when the system links it only in Managers', async (t) => {
  const { machine, task } = await redfishLab(t, {
    differences: { managersIn: 'Managers', mediaAt: 'manager' },
  });
  await attachVirtualMedia(task, 'cdrom', IMAGE);
  assert.equal(machine.media['CD']?.image, IMAGE);
});

test('an OpenBMC is rebooted with resets that it offers, and a fault tells what it lacks', async (t) => {
  const lab = await redfishLab(t, {
    shape: 'openbmc',
    differences: { resets: ['On', 'ForceOff', 'GracefulShutdown'], media: {} },
  });
  lab.machine.power = 'On';
  await redfishPower.setPowerState(lab.task, 'rebooting', 60);
  assert.deepEqual(lab.machine.resets, ['ForceOff', 'On']);
  const kept = await redfishLab(t, {
    shape: 'openbmc',
    differences: { resets: ['On', 'ForceOff'] },
    node: { disable_power_off: true },
  });
  kept.machine.power = 'On';
  await rejectsFault(
    redfishPower.setPowerState(kept.task, 'rebooting', 60),
    'UnsupportedDriverExtension',
    /offers On, ForceOff/,
  );
  await rejectsFault(
    attachVirtualMedia(lab.task, 'cdrom', IMAGE),
    'InvalidParameter',
    /the BMC has no virtual media/,
  );
});

test('verification notes a BMC clock that is wrong enough to break TLS', async (t) => {
  const { machine, task } = await redfishLab(t);
  const verify = async () => redfishManagement.steps?.['verify_bmc_clock']?.run(task, {});
  machine.dateTime = new Date(task.clock.now() - 60_000).toISOString();
  await verify();
  assert.deepEqual(task.done, []);
  machine.dateTime = '2001-01-01T00:00:00+00:00';
  await verify();
  assert.match(task.done.join(), /note: The BMC's clock shows 2001-01-01.*Step set_bmc_clock/);
  assert.equal(machine.dateTime, '2001-01-01T00:00:00+00:00');
});

test('twenty readings at the same time share one session and need one request each', async (t) => {
  const lab = await redfishLab(t);
  const { system } = lab.bmc.paths;
  await Promise.all(
    Array.from({ length: 20 }, () =>
      redfishPower.getPowerState({
        ...lab.task,
        node: { ...lab.task.node, driver_info: { ...lab.task.node.driver_info, redfish_system_id: system } },
      }),
    ),
  );
  assert.equal(lab.bmc.sessions.logins, 1);
  assert.equal(lab.bmc.requests.length, 21);
});

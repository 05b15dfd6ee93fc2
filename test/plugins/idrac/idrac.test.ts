import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFakeRedfish } from '#plugin-api/fake-redfish';
import { idracInspect } from '../../../plugins/idrac/inspect.ts';
import { idracManagement } from '../../../plugins/idrac/management.ts';
import { idracVirtualMediaBoot } from '../../../plugins/idrac/virtual-media-boot.ts';
import { redfishInspect } from '../../../plugins/redfish/inspect/inspect.ts';
import { redfishManagement } from '../../../plugins/redfish/management/management.ts';
import { rejectsFault } from '../../fakes/faults.ts';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';
import type { RedfishLab } from '../redfish/redfish-lab.ts';
import { ran, steppingLab } from '../redfish/stepping.ts';

const { steps } = idracManagement.make(redfishManagement);
const posts = ({ bmc }: RedfishLab) =>
  bmc.requests
    .filter(({ method }) => method === 'POST')
    .map(({ path }) => path.slice(path.lastIndexOf('/') + 1));

test('known_good_state restarts the iDRAC, waits until it answers, and deletes its jobs', async (t) => {
  const lab = await steppingLab(t, { shape: 'dell9' });
  lab.bmc.tasks.begin('old', false, () => undefined);
  assert.equal(await ran(lab, steps?.['known_good_state']), 'done');
  assert.deepEqual(lab.bmc.tasks.paths, []);
  assert.equal(posts(lab).filter((each) => each === 'DelliDRACCardService.iDRACReset').length, 1);
  assert.equal(posts(lab).at(-1), 'DellJobService.DeleteJobQueue');
  assert.equal(
    lab.bmc.requests.some(({ status }) => status === 0),
    true,
  );
});

test('clear_job_queue deletes the jobs, and reset_idrac fails on a BMC without the services of Dell', async (t) => {
  const lab = await steppingLab(t, { shape: 'dell10' });
  lab.bmc.tasks.begin('old', false, () => undefined);
  assert.equal(await ran(lab, steps?.['clear_job_queue']), 'done');
  assert.deepEqual(lab.bmc.tasks.paths, []);
  const other = await steppingLab(t);
  await rejectsFault(
    ran(other, steps?.['reset_idrac']),
    'UnsupportedDriverExtension',
    /DelliDRACCardService, which this BMC does not have/,
  );
});

test('a service of Dell that cannot be read is called at its usual path', async (t) => {
  const lab = await steppingLab(t, { shape: 'dell9' });
  lab.bmc.faults.add({
    method: 'GET',
    path: 'DellJobService',
    times: 9,
    does: { kind: 'answer', status: 403 },
  });
  assert.equal(await ran(lab, steps?.['clear_job_queue']), 'done');
  assert.deepEqual(posts(lab).slice(-1), ['DellJobService.DeleteJobQueue']);
});

test('an iDRAC that does not show itself boots virtual media without its own setting', async (t) => {
  const lab = await steppingLab(t, { shape: 'dell9' });
  lab.bmc.faults.add({ path: lab.bmc.paths.manager, times: 9, does: { kind: 'answer', status: 403 } });
  const boot = idracVirtualMediaBoot.make({ properties: {}, validate() {} });
  await boot.prepareRamdisk?.(lab.task, {});
  assert.equal(posts(lab).includes('OemManager.ImportSystemConfiguration'), false);
});

test('old firmware boots virtual media through a setting of the iDRAC, newer firmware does not need it', async (t) => {
  const prepared: string[] = [];
  const boot = idracVirtualMediaBoot.make({
    properties: {},
    validate() {},
    prepareRamdisk: async () => void prepared.push('ramdisk'),
  });
  const old = await steppingLab(t, {
    shape: 'dell9',
    differences: { managerModel: '14G Monolithic', managerFirmware: '4.40.10.00' },
  });
  await boot.prepareRamdisk?.(old.task, {});
  assert.equal(old.machine.boot.BootSourceOverrideTarget, 'Cd');
  const imported = old.bmc.requests.find(({ path }) => path.endsWith('ImportSystemConfiguration'));
  assert.match(
    JSON.stringify(imported?.body),
    /FQDD=\\"iDRAC\.Embedded\.1\\"><Attribute Name=\\"ServerBoot\.1#BootOnce\\">Enabled/,
  );
  for (const shape of ['dell9', 'dell10'] as const) {
    const lab = await steppingLab(t, { shape });
    await boot.prepareRamdisk?.(lab.task, {});
    assert.deepEqual(posts(lab), ['Sessions'], shape);
  }
  assert.equal(prepared.length, 3);
});

test('when the iDRAC cannot import the boot setting, the boot fails with the message of the job', async (t) => {
  const boot = idracVirtualMediaBoot.make({ properties: {}, validate() {} });
  const lab = await steppingLab(t, {
    shape: 'dell9',
    differences: { managerModel: '14G Monolithic', managerFirmware: '4.40.10.00' },
  });
  Object.assign(lab.bmc.tasks.habits, { end: ['Exception', 'Critical'], messages: ['A job is running.'] });
  await rejectsFault(
    boot.prepareRamdisk?.(lab.task, {}) ?? Promise.resolve(),
    'BootDeviceNotImported',
    /A job is running\./,
  );
});

test('inspection reports the service tag as the serial number', async (t) => {
  const { task } = await steppingLab(t, { shape: 'dell9' });
  const report = await idracInspect.make(redfishInspect).inspectHardware(task);
  assert.match(JSON.stringify(report), /"serial_number":"SKU1"/);
});

test('a node with the interfaces that Metal3 sets is enrolled, managed and inspected', async (t) => {
  const fake = await startFakeRedfish({ shape: 'dell9' });
  t.after(() => fake.stop());
  const daemon = await startInProcess(t, {
    ini: 'enabled_hardware_types = idrac\nenabled_bios_interfaces = idrac-redfish\nenabled_management_interfaces = idrac-redfish\nenabled_power_interfaces = idrac-redfish\nenabled_raid_interfaces = idrac-redfish\nenabled_vendor_interfaces = idrac-redfish\nenabled_inspect_interfaces = redfish,idrac-redfish\nenabled_firmware_interfaces = redfish\nenabled_boot_interfaces = ipxe,idrac-redfish-virtual-media\n',
  });
  const { uuid } = await daemon.createNode({
    driver: 'idrac',
    bios_interface: 'idrac-redfish',
    boot_interface: 'ipxe',
    firmware_interface: 'redfish',
    inspect_interface: 'redfish',
    management_interface: 'idrac-redfish',
    power_interface: 'idrac-redfish',
    raid_interface: 'idrac-redfish',
    vendor_interface: 'idrac-redfish',
    driver_info: {
      redfish_address: fake.address,
      redfish_username: 'admin',
      redfish_password: 'secret',
      redfish_system_id: '/redfish/v1/Systems/System.Embedded.1',
    },
  });
  for (const target of ['manage', 'inspect']) {
    await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target } });
    await daemon.idle();
  }
  const { provision_state, last_error, properties } = daemon.node(uuid);
  assert.deepEqual([provision_state, last_error, properties['vendor']], ['manageable', null, 'Dell']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../daemon/plugin-api/index.ts';
import { idracRaid } from '../../../../plugins/idrac/raid/raid.ts';
import { redfishRaid } from '../../../../plugins/redfish/raid/raid.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import type { RedfishLab } from '../../redfish/redfish-lab.ts';
import { polled, ran, steppingLab } from '../../redfish/stepping.ts';

const {
  create_configuration: create,
  apply_configuration: apply,
  delete_configuration: erase,
} = idracRaid.make(redfishRaid).steps ?? {};

const mirror: JsonObject = { raid_level: '1', size_gb: 100, volume_name: 'root' };
const stripe: JsonObject = { raid_level: '0', size_gb: 100, controller: 'S1', physical_disks: ['D2'] };
const wanted = (...logical_disks: readonly JsonObject[]) => ({ target_raid_config: { logical_disks } });

/** Makes the controller pass these drives through. */
function passThrough({ bmc, machine }: RedfishLab, ...ids: readonly string[]): void {
  const { storage } = bmc.paths;
  for (const id of ids)
    machine.volumes.set(`${storage}/Volumes/${id}`, {
      Id: id,
      Name: id,
      VolumeType: 'RawDevice',
      RAIDType: null,
      Links: { Drives: [{ '@odata.id': `${storage}/Drives/${id}` }] },
    });
}

const REBOOT = ['ForceOff', 'On'];
const kinds = ({ bmc }: RedfishLab) => bmc.tasks.begun.map(({ kind }) => kind);
const levels = ({ machine }: RedfishLab) => [...machine.volumes.values()].map((each) => each['RAIDType']);

test('a machine that is off is powered on, and its volumes are created once the iDRAC is ready', async (t) => {
  const lab = await steppingLab(t, { shape: 'dell9', node: wanted(mirror) });
  lab.machine.asksUntilReady = 3;
  assert.equal(await ran(lab, create), 'done');
  assert.deepEqual([lab.machine.asksUntilReady, lab.machine.resets, levels(lab)], [0, ['On'], ['RAID1']]);
  assert.equal(lab.task.node.driver_internal_info['idrac_raid'], undefined);
});

test('when the iDRAC is not ready within five minutes, the volumes are created all the same', async (t) => {
  const lab = await steppingLab(t, { shape: 'dell9', node: wanted(mirror) });
  lab.machine.asksUntilReady = 1_000_000;
  const begun = lab.task.clock.now();
  assert.equal(await ran(lab, create), 'done');
  assert.ok(lab.task.clock.now() - begun > 300_000);
  assert.deepEqual(levels(lab), ['RAID1']);
});

test('drives that are passed through are brought into RAID mode, but only those that are needed', async (t) => {
  const lab = await steppingLab(t, { shape: 'dell9', node: wanted(stripe) });
  passThrough(lab, 'D1', 'D2');
  assert.equal(await ran(lab, create), 'done');
  const sent = lab.bmc.requests.filter(({ path }) => path.endsWith('ConvertToRAID'));
  assert.deepEqual(
    sent.map(({ body }) => body),
    [{ PDArray: ['D2'] }],
  );
  assert.deepEqual(levels(lab), [null, 'RAID0']);
  assert.deepEqual(lab.machine.resets, ['On']);
});

test('apply_configuration brings the drives in its argument raid_config into RAID mode', async (t) => {
  const lab = await steppingLab(t, { shape: 'dell9' });
  passThrough(lab, 'D2');
  assert.equal(await ran(lab, apply, { raid_config: { logical_disks: [stripe] } }), 'done');
  assert.deepEqual([kinds(lab), levels(lab)], [['ConvertToRAID', 'CreateVolume'], ['RAID0']]);
});

test('delete_configuration deletes volumes, then foreign configurations, and brings controllers into RAID mode', async (t) => {
  for (const [volumeApplyTimes, reboots] of [
    [['Immediate', 'OnReset'], 1],
    [['OnReset'], 3],
  ] as const) {
    const lab = await steppingLab(t, { shape: 'dell9', differences: { volumeApplyTimes } });
    const { machine, bmc } = lab;
    machine.power = 'On';
    machine.volumes.set(`${bmc.paths.storage}/Volumes/V1`, { Id: 'V1', RAIDType: 'RAID1' });
    Object.assign(machine, { hasForeignConfiguration: true, controllerMode: 'HBA' });
    assert.equal(await ran(lab, erase), 'done');
    assert.deepEqual(
      [machine.volumes.size, machine.hasForeignConfiguration, machine.controllerMode],
      [0, false, 'RAID'],
    );
    assert.deepEqual(machine.resets, Array.from({ length: reboots }, () => REBOOT).flat());
    assert.deepEqual(kinds(lab).slice(-2), ['ClearForeignConfig', 'ChangeController']);
  }
});

test('a machine with nothing to clear and its controllers in RAID mode is not rebooted', async (t) => {
  const lab = await steppingLab(t, { shape: 'dell10' });
  lab.machine.power = 'On';
  assert.equal(await ran(lab, erase), 'done');
  assert.deepEqual([kinds(lab), lab.machine.resets], [[], []]);
});

test('a machine is not rebooted for a job that a reboot by someone else has started', async (t) => {
  const lab = await steppingLab(t, { shape: 'dell9' });
  lab.machine.power = 'On';
  lab.machine.controllerMode = 'HBA';
  assert.equal(await erase?.run(lab.task, {}), 'wait');
  lab.machine.reset('ForceRestart');
  assert.equal(await polled(lab, erase), 'done');
  assert.deepEqual([lab.machine.controllerMode, lab.machine.resets], ['RAID', ['ForceRestart']]);
});

test('a failed job fails the step with the messages of the job, and the record of the step is removed', async (t) => {
  const lab = await steppingLab(t, { shape: 'dell9', node: wanted(stripe) });
  passThrough(lab, 'D2');
  Object.assign(lab.bmc.tasks.habits, { end: ['Exception', 'Critical'], messages: ['The drive is locked.'] });
  await rejectsFault(ran(lab, create), 'StorageJobFailed', /stage drives: The drive is locked\./);
  assert.equal(lab.task.node.driver_internal_info['idrac_raid'], undefined);
});

test('delete_configuration records its stage and jobs, and waits while the iDRAC does not answer', async (t) => {
  const lab = await steppingLab(t, { shape: 'dell9' });
  lab.machine.power = 'On';
  Object.assign(lab.machine, { controllerMode: 'HBA' });
  assert.equal(await erase?.run(lab.task, {}), 'wait');
  assert.match(JSON.stringify(lab.task.node.driver_internal_info), /"stage":"controllers","jobs":\["/);
  lab.bmc.fallSilent(40);
  assert.equal(await polled(lab, erase), 'done');
  assert.deepEqual(
    [lab.machine.controllerMode, kinds(lab), lab.machine.resets],
    ['RAID', ['ChangeController'], REBOOT],
  );
});

test('when a daemon restart interrupts the request for volumes, the step fails and does not request them again', async (t) => {
  const lab = await steppingLab(t, { shape: 'dell9', node: wanted(mirror) });
  lab.machine.asksUntilReady = 1;
  assert.equal(await create?.run(lab.task, {}), 'wait');
  const { idrac_raid: stored } = lab.task.node.driver_internal_info as { idrac_raid: JsonObject };
  await lab.task.update({ driver_internal_info: { idrac_raid: { ...stored, stage: 'volumes' } } });
  await rejectsFault(
    polled(lab, create),
    'StorageJobFailed',
    /stage volumes: a restart of the daemon interrupted the request/,
  );
  assert.deepEqual(levels(lab), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../daemon/plugin-api/index.ts';
import { redfishRaid } from '../../../../plugins/redfish/raid/raid.ts';
import { type Drive, wantedVolumes } from '../../../../plugins/redfish/raid/requested-volumes.ts';
import { rejectsFault, throwsFault } from '../../../fakes/faults.ts';
import { fakeTask } from '../../../fakes/task.ts';
import { ran, steppingLab } from '../stepping.ts';

const {
  create_configuration: create,
  apply_configuration: apply,
  delete_configuration: erase,
} = redfishRaid.steps ?? {};
const mirror: JsonObject = { raid_level: '1', size_gb: 100, is_root_volume: true, volume_name: 'root' };
const node = (...logical_disks: readonly JsonObject[]) => ({ target_raid_config: { logical_disks } });

const stripe = (disk: string): JsonObject => ({
  raid_level: '0',
  size_gb: 'MAX',
  controller: 'S1',
  physical_disks: [disk],
});

test('a controller that can create a volume at once does so without a reboot', async (t) => {
  const lab = await steppingLab(t, { node: node(mirror) });
  assert.equal(await ran(lab, create), 'done');
  assert.deepEqual(lab.machine.resets, []);
  const [disk] = (lab.task.node.raid_config as { logical_disks: JsonObject[] }).logical_disks;
  assert.deepEqual(disk, { id: 'V1', name: 'root', controller: 'S1', size_gb: 100, raid_level: '1' });
});

test('an iDRAC changes volumes in jobs that start at once: the step waits for the job and reboots nothing', async (t) => {
  const lab = await steppingLab(t, { shape: 'dell9', node: node(mirror) });
  lab.machine.power = 'On';
  assert.equal(await ran(lab, create), 'done');
  assert.equal(lab.machine.volumes.size, 1);
  assert.equal(await ran(lab, erase), 'done');
  assert.equal(lab.machine.volumes.size, 0);
  assert.deepEqual(
    lab.bmc.tasks.begun.map(({ kind }) => kind),
    ['CreateVolume', 'DeleteVolume'],
  );
  assert.deepEqual(lab.machine.resets, []);
});

test('a controller that changes volumes only at a boot creates one volume per boot', async (t) => {
  for (const shape of ['plain', 'dell9'] as const) {
    const lab = await steppingLab(t, {
      shape,
      node: node(stripe('D1'), stripe('D2')),
      differences: { volumeApplyTimes: ['OnReset'] },
    });
    assert.equal(await ran(lab, create), 'done', shape);
    assert.equal(lab.bmc.tasks.begun.length, 2);
    assert.equal(lab.machine.resets.length, 3, lab.machine.resets.join());
    assert.equal((lab.task.node.raid_config as { logical_disks: JsonObject[] }).logical_disks.length, 2);
    assert.equal(await ran(lab, erase), 'done');
    assert.deepEqual([lab.machine.volumes.size, lab.task.node.raid_config], [0, {}]);
  }
});

test('a task that failed fails the step', async (t) => {
  const lab = await steppingLab(t, { differences: { volumeApplyTimes: ['OnReset'] } });
  Object.assign(lab.bmc.tasks.habits, { end: ['Exception', 'Critical'], messages: ['A drive is missing.'] });
  const given = { raid_config: { logical_disks: [mirror] } };
  await rejectsFault(ran(lab, apply, given), 'RaidFailed', /creation of volumes .* A drive is missing\./);
});

test('the creation of a volume is not repeated when its answer is lost, and the step fails', async (t) => {
  const lab = await steppingLab(t, { node: node(mirror) });
  lab.bmc.faults.add({ method: 'POST', path: 'Volumes', afterObeying: true, does: { kind: 'cut' } });
  await rejectsFault(ran(lab, create), 'BmcFailure', /closed the connection/);
  assert.equal(lab.machine.volumes.size, 1);
});

test('when a Dell refuses a deletion that has an apply time, the deletion is sent again without one', async (t) => {
  const lab = await steppingLab(t, { shape: 'dell9', node: node(mirror) });
  assert.equal(await ran(lab, create), 'done');
  const refusal = { error: { '@Message.ExtendedInfo': [{ MessageId: 'IDRAC.2.8.SYS029' }] } };
  lab.bmc.faults.add({
    method: 'DELETE',
    path: 'Volumes',
    does: { kind: 'answer', status: 400, body: refusal },
  });
  assert.equal(await ran(lab, erase), 'done');
  const deletions = lab.bmc.requests.filter(
    ({ method, path }) => method === 'DELETE' && path.includes('Volumes'),
  );
  assert.deepEqual(
    deletions.map(({ body }) => Object.keys(body ?? {})),
    [['@Redfish.OperationApplyTime'], []],
  );
  assert.equal(lab.machine.volumes.size, 0);
});

test('create_root_volume = false leaves the root volume out, and a configuration without logical disks is refused', async (t) => {
  const lab = await steppingLab(t, { node: node(mirror) });
  assert.equal(await ran(lab, create, { create_root_volume: false }), 'done');
  assert.equal(lab.machine.volumes.size, 0);
  await rejectsFault(ran(await steppingLab(t), create), 'InvalidParameter', /no logical_disks/);
});

const GB = 1_000_000_000;
const drive = (id: string, more: Partial<Drive> = {}): Drive => ({
  path: `/drives/${id}`,
  id,
  controller: 'S1',
  bytes: 500 * GB,
  mediaType: 'SSD',
  protocol: 'SATA',
  ...more,
});

const shared = (size_gb: number) => ({ raid_level: '1', size_gb, share_physical_disks: true });

test('logical disks share drives only if each of them allows it, and only while there is space', () => {
  const drives = ['a', 'b', 'c', 'd'].map((id) => drive(id));
  const chosen = (...disks: readonly JsonObject[]) =>
    wantedVolumes(fakeTask(), disks, drives).map((volume) => volume.drives.join());
  assert.deepEqual(chosen(shared(200), shared(200)), ['/drives/a,/drives/b', '/drives/a,/drives/b']);
  assert.deepEqual(chosen(shared(300), shared(300)), ['/drives/a,/drives/b', '/drives/c,/drives/d']);
  assert.deepEqual(chosen(shared(100), { raid_level: '1', size_gb: 100 }), [
    '/drives/a,/drives/b',
    '/drives/c,/drives/d',
  ]);
  assert.deepEqual(chosen(shared(200), { ...shared(700), raid_level: '5' }), [
    '/drives/a,/drives/b',
    '/drives/a,/drives/b,/drives/c,/drives/d',
  ]);
});

test('RAID 5+0 takes an even number of drives, and a number that is too small for the level is named', () => {
  const drives = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => drive(id));
  const chosen = (disk: JsonObject) => wantedVolumes(fakeTask(), [disk], drives)[0]?.drives.length;
  assert.equal(chosen({ raid_level: '5+0', size_gb: 1800 }), 6);
  assert.equal(chosen({ raid_level: '5+0', size_gb: 2000 }), 8);
  for (const [raid_level, count, reason] of [
    ['5+0', 7, /RAID50 needs an even number of drives, at least 6, and 7 are requested/],
    ['5', 2, /RAID5 needs at least 3 drives, and 2 are requested/],
  ] as const)
    throwsFault(() => chosen({ raid_level, size_gb: 1, number_of_physical_disks: count }), 400, reason);
});

test('drives are chosen by level, size, kind and name, and used once; a size too large and an unknown level are refused', () => {
  const task = fakeTask();
  const drives = [drive('a'), drive('b'), drive('c', { mediaType: 'HDD', protocol: 'SAS' }), drive('d')];
  const chosen = (...disks: readonly JsonObject[]) =>
    wantedVolumes(task, disks, drives).map((volume) => volume.drives);
  assert.deepEqual(chosen({ raid_level: '1', size_gb: 100 }), [['/drives/a', '/drives/b']]);
  assert.deepEqual(chosen({ raid_level: '0', size_gb: 900 }), [['/drives/a', '/drives/b']]);
  assert.deepEqual(chosen({ raid_level: '5', size_gb: 100 }), [['/drives/a', '/drives/b', '/drives/d']]);
  assert.deepEqual(chosen({ raid_level: '0', size_gb: 100, disk_type: 'hdd', interface_type: 'sas' }), [
    ['/drives/c'],
  ]);
  assert.deepEqual(
    chosen({ raid_level: '0', size_gb: 1 }, { raid_level: '0', size_gb: 1, physical_disks: ['a'] }),
    [['/drives/a'], ['/drives/b']],
  );
  throwsFault(() => chosen({ raid_level: '1', size_gb: 600 }), 400, /no group of them is large enough/);
  throwsFault(
    () => chosen({ raid_level: '2', size_gb: 1 }),
    400,
    /the levels are 0, 1, 5, 6, 1\+0, 5\+0, 6\+0/,
  );
});

test('a Storage or Volumes that is linked and not there has no volumes: there is nothing to delete', async (t) => {
  for (const missing of ['Storage', 'Storage/S1/Volumes']) {
    const lab = await steppingLab(t);
    lab.bmc.overrides.set(`${lab.bmc.paths.system}/${missing}`, null);
    assert.equal(await ran(lab, erase), 'done', missing);
  }
});

test('a deletion does not call itself done when a controller cannot be read', async (t) => {
  const lab = await steppingLab(t);
  lab.bmc.faults.add({ path: '/Storage/S1', times: 99, does: { kind: 'answer', status: 403 } });
  await rejectsFault(ran(lab, erase), 'BmcRefused', /403/);
});

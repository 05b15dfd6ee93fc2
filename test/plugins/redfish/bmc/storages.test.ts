import assert from 'node:assert/strict';
import { test } from 'node:test';
import { converse } from '../../../../plugins/redfish/bmc/converse.ts';
import { allStorages, readStorages, storagePaths } from '../../../../plugins/redfish/bmc/storages.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { redfishLab, type RedfishLab } from '../redfish-lab.ts';

const reading = { operation: 'Reading' };
const all = ({ task }: RedfishLab) =>
  converse(task, reading, async (bmc) => (await allStorages(bmc)).map(({ Id: id }) => id));
const readable = ({ task }: RedfishLab) =>
  converse(task, reading, async (bmc) =>
    (await readStorages(bmc, await storagePaths(bmc))).map(({ resource, drives }) => [
      resource['Id'],
      drives.length,
    ]),
  );

test('where the linked collection is not there, its members that the chassis links are read, but none of another machine', async (t) => {
  const lab = await redfishLab(t);
  const { system, chassis } = lab.bmc.paths;
  lab.bmc.overrides.set(`${system}/Storage`, null);
  const storages = [`${system}/Storage/S1`, '/redfish/v1/Systems/2/Storage/S1'];
  lab.bmc.overrides.set(chassis, {
    '@odata.id': chassis,
    Links: { Storage: storages.map((path) => ({ '@odata.id': path })) },
  });
  assert.deepEqual(await readable(lab), [['S1', 2]]);
  assert.deepEqual(await all(lab), ['S1']);
});

test('a refused drive or Storage is left out of a reading, and fails a change', async (t) => {
  const lab = await redfishLab(t);
  lab.bmc.faults.add({ path: '/Drives/D1', times: 1, does: { kind: 'answer', status: 400 } });
  assert.deepEqual(await readable(lab), [['S1', 1]]);
  lab.bmc.faults.add({ path: '/Storage/S1', times: 2, does: { kind: 'answer', status: 400 } });
  assert.deepEqual(await readable(lab), []);
  await rejectsFault(all(lab), 'BmcRefused', /400/);
  assert.deepEqual(await all(lab), ['S1']);
});

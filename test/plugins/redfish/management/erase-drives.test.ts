import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eraseSteps } from '../../../../plugins/redfish/management/erase-drives.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { ran, steppingLab } from '../stepping.ts';

const { secure_erase_drives: erase } = eraseSteps;

test('every drive erases itself, each asked once, and the step waits for all', async (t) => {
  for (const shape of ['plain', 'dell9'] as const) {
    const lab = await steppingLab(t, { shape });
    assert.equal(await erase.run(lab.task, {}), 'wait');
    assert.equal(lab.machine.erased.size, 0);
    assert.equal(lab.task.node.driver_internal_info.bmc_tasks?.length, 2, shape);
    assert.equal(await ran(lab, { ...erase, run: async () => 'wait' }), 'done', shape);
    assert.deepEqual([lab.machine.erased.size, lab.bmc.tasks.begun.length], [2, 2]);
    assert.deepEqual(lab.task.node.driver_internal_info, {});
  }
});

test('an erasure that fails, or whose task the BMC forgets, fails the step and names the drive', async (t) => {
  const failing = await steppingLab(t);
  Object.assign(failing.bmc.tasks.habits, {
    end: ['Exception', 'Critical'],
    messages: ['The drive is busy.'],
  });
  await rejectsFault(ran(failing, erase), 'DriveEraseFailed', /Drive D1.*The drive is busy/);
  const forgetful = await steppingLab(t);
  await erase.run(forgetful.task, {});
  for (const path of forgetful.bmc.tasks.paths) forgetful.bmc.tasks.remove(path);
  await rejectsFault(
    ran(forgetful, { ...erase, run: async () => 'wait' }),
    'DriveEraseFailed',
    /Drive D1.*no longer knows/,
  );
});

test('a step that is run again does not wait for the tasks of a run that failed half-way', async (t) => {
  const lab = await steppingLab(t);
  const refused = { kind: 'answer', status: 400, body: {} } as const;
  lab.bmc.faults.add({ method: 'POST', path: '/Drives/D2', does: refused });
  await assert.rejects(erase.run(lab.task, {}));
  for (const path of lab.bmc.tasks.paths) lab.bmc.tasks.remove(path);
  assert.equal(await ran(lab, erase), 'done');
  assert.equal(lab.machine.erased.size, 2);
});

test('the step waits for a BMC that does not answer, and refuses a BMC without drives', async (t) => {
  const lab = await steppingLab(t);
  await erase.run(lab.task, {});
  lab.bmc.fallSilent(120);
  assert.equal(await ran(lab, { ...erase, run: async () => 'wait' }), 'done');
  const other = await steppingLab(t);
  other.bmc.overrides.set(`${other.bmc.paths.system}/Storage`, { Members: [] });
  await rejectsFault(ran(other, erase), 'UnsupportedDriverExtension', /no drive/);
});

test('an erasure that the BMC accepts without a task to follow does not count as done', async (t) => {
  const lab = await steppingLab(t);
  lab.bmc.faults.add({ method: 'POST', path: '/Drives/D2', does: { kind: 'answer', status: 202 } });
  await rejectsFault(Promise.resolve(erase.run(lab.task, {})), 'DriveEraseFailed', /names no task/);
});

test('a storage whose list of drives cannot be read is not taken for one without drives', async (t) => {
  const lab = await steppingLab(t);
  const at = `${lab.bmc.paths.system}/Storage`;
  lab.bmc.overrides.set(at, { Members: [{ '@odata.id': `${at}/Odd` }] });
  lab.bmc.overrides.set(`${at}/Odd`, { Id: 'Odd', Drives: { '@odata.id': '/redfish/v1/Drives' } });
  await rejectsFault(
    Promise.resolve(erase.run(lab.task, {})),
    'BmcRefused',
    /Drives of .*Odd are not a list/,
  );
});

test('an answer that is not about the task, as from a proxy, does not end the erasure', async (t) => {
  const lab = await steppingLab(t);
  await erase.run(lab.task, {});
  for (const text of ['{}', '{"message": "log in"}'])
    lab.bmc.faults.add({ method: 'GET', path: '/Tasks/', does: { kind: 'answer', status: 200, text } });
  assert.equal(await erase.poll?.check(lab.task, {}), 'wait');
  assert.equal(await ran(lab, { ...erase, run: async () => 'wait' }), 'done');
  assert.equal(lab.machine.erased.size, 2);
});

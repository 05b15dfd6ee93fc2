import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redfishFirmware } from '../../../../plugins/redfish/firmware/firmware.ts';
import { redfishPower } from '../../../../plugins/redfish/power/power.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import type { RedfishLab } from '../redfish-lab.ts';
import { polled, ran, steppingLab } from '../stepping.ts';

const { update } = redfishFirmware.steps ?? {};
const settings = (...components: readonly string[]) => ({
  settings: components.map((component) => ({
    component,
    url: `http://images.example/${component.split(':')[0]}.bin`,
  })),
});
const updates = ({ bmc }: RedfishLab) =>
  bmc.requests.filter(({ path }) => path.endsWith('SimpleUpdate')).length;

test('BIOS, BMC and adapters show their versions', async (t) => {
  const { task } = await steppingLab(t, { shape: 'dell9' });
  assert.deepEqual(
    (await redfishFirmware.readComponents?.(task))?.map(({ component, current_version }) => [
      component,
      current_version,
    ]),
    [
      ['bios', '1.0.0'],
      ['bmc', '7.10.30.00'],
      ['nic:NIC-SERIAL-1', '1.0.0'],
    ],
  );
});

test('a BIOS is updated by one reboot', async (t) => {
  for (const shape of ['plain', 'hpe', 'dell9'] as const) {
    const lab = await steppingLab(t, { shape });
    assert.equal(await ran(lab, update, settings('bios')), 'done', shape);
    assert.equal(lab.machine.biosVersion, '9.9.9');
    assert.equal(lab.machine.resets.length, 1);
    assert.equal(updates(lab), 1);
  }
});

test('a BMC that is silent during its update is not reported as a power failure, and the next component waits for it', async (t) => {
  const lab = await steppingLab(t);
  const given = settings('bmc', 'nic:NIC-SERIAL-1');
  assert.equal(await update?.run(lab.task, given), 'wait');
  const states: unknown[] = [];
  for (let polls = 0; updates(lab) < 2; polls += 1) {
    assert.ok(polls < 60);
    await update?.poll?.check(lab.task, given);
    if (lab.bmc.requests.at(-1)?.status === 0) states.push(await redfishPower.getPowerState(lab.task));
    await lab.task.clock.advance(30_000);
  }
  assert.ok(states.length > 0 && states.every((state) => state === null));
  assert.equal(lab.machine.bmcVersion, '9.9.9');
  assert.equal(await polled(lab, update, given), 'done');
  assert.equal(lab.machine.nicVersion, '9.9.9');
  assert.equal(updates(lab), 2);
});

test('a task that ended badly fails the step with its messages', async (t) => {
  const lab = await steppingLab(t);
  Object.assign(lab.bmc.tasks.habits, {
    end: ['Completed', 'Critical'],
    messages: ['The image is not signed.'],
  });
  await rejectsFault(
    ran(lab, update, settings('bmc')),
    'FirmwareUpdateFailed',
    /bmc .*The image is not signed\./,
  );
  assert.equal(lab.task.node.driver_internal_info['redfish_fw_updates'], undefined);
});

test('a task that vanished and left the old version is a failure, not a success', async (t) => {
  const lab = await steppingLab(t);
  assert.equal(await update?.run(lab.task, settings('bmc')), 'wait');
  for (const path of lab.bmc.tasks.paths) lab.bmc.tasks.remove(path);
  await rejectsFault(
    polled(lab, update, settings('bmc')),
    'FirmwareUpdateFailed',
    /its version is still 1\.0\.0/,
  );
});

test('an update that never ends is given up', async (t) => {
  const lab = await steppingLab(t);
  lab.bmc.tasks.habits.polls = 100_000;
  await rejectsFault(ran(lab, update, settings('bmc')), 'FirmwareUpdateFailed', /did not end within 7200 s/);
});

test('a daemon that was restarted meanwhile goes on from the record, and sends nothing twice', async (t) => {
  const lab = await steppingLab(t);
  assert.equal(await update?.run(lab.task, settings('bios')), 'wait');
  const begun = lab.task.node.driver_internal_info;
  assert.equal(await polled(lab, update, settings('bios')), 'done');
  assert.equal(updates(lab), 1);
  assert.match(JSON.stringify(begun), /"stage":"begun"/);
});

test('wrong requests are refused before anything is sent, and so is a BMC without SimpleUpdate', async (t) => {
  const lab = await steppingLab(t);
  for (const [setting, reason] of [
    [{ component: 'disk', url: 'http://i/x' }, /component "disk"/],
    [{ component: 'bios', url: 'ftp://i/x' }, /url of bios/],
    [{ component: 'bios', url: 'http://i/x', wait: 0 }, /wait of bios/],
    [{ component: 'bios', url: 'http://i/x', checksum: 'x' }, /checksum is not one of/],
  ] as const)
    await rejectsFault(ran(lab, update, { settings: [setting] }), 'InvalidParameter', reason);
  assert.equal(updates(lab), 0);
  const without = await steppingLab(t, { differences: { hasSimpleUpdate: false } });
  await rejectsFault(
    ran(without, update, settings('bios')),
    'FirmwareNotUpdated',
    /no firmware images by URL/,
  );
});

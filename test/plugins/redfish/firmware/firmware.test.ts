import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
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

test('while a BMC does not answer during its update, the power state is unknown, and the next component waits', async (t) => {
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

test('the record names the task of the BMC as long as the update waits for it', async (t) => {
  const lab = await steppingLab(t);
  assert.equal(await update?.run(lab.task, settings('bmc')), 'wait');
  const shown = () => lab.task.node.driver_internal_info.bmc_tasks;
  assert.deepEqual(shown(), lab.bmc.tasks.paths);
  assert.equal(await polled(lab, update, settings('bmc')), 'done');
  assert.equal(shown(), undefined);
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

test('an update is recorded as begun, and the polls do not send it again', async (t) => {
  const lab = await steppingLab(t);
  assert.equal(await update?.run(lab.task, settings('bios')), 'wait');
  const begun = lab.task.node.driver_internal_info;
  assert.equal(await polled(lab, update, settings('bios')), 'done');
  assert.equal(updates(lab), 1);
  assert.match(JSON.stringify(begun), /"stage":"begun"/);
});

test('wrong requests are refused before anything is sent, and so is a BMC that takes no images', async (t) => {
  const lab = await steppingLab(t);
  for (const [setting, reason] of [
    [{ component: 'disk', url: 'http://i/x' }, /component "disk"/],
    [{ component: 'bios', url: 'ftp://i/x' }, /url of bios: expected an http, https or file URL/],
    [{ component: 'bios', url: 'http://i/x', wait: 0 }, /wait of bios/],
    [{ component: 'bios', url: 'http://i/x', checksum: 'x' }, /checksum is not one of/],
  ] as const)
    await rejectsFault(ran(lab, update, { settings: [setting] }), 'InvalidParameter', reason);
  assert.equal(updates(lab), 0);
  const without = await steppingLab(t, { differences: { hasSimpleUpdate: false } });
  await rejectsFault(
    ran(without, update, settings('bios')),
    'FirmwareNotUpdated',
    /neither by URL \(SimpleUpdate\) nor as an upload/,
  );
});

/** A file like the copies that the daemon makes of images. */
function imageOn(t: TestContext, content: string) {
  const folder = mkdtempSync(join(tmpdir(), 'firmware-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'image');
  writeFileSync(file, content);
  return { path: file, bytes: Buffer.byteLength(content), url: 'http://192.0.2.9:8080/secret/x/bios.bin' };
}

test('a BMC that takes no URLs gets the image as an upload, raw or in a form', async (t) => {
  for (const updatesPushed of ['raw', 'form'] as const) {
    const lab = await steppingLab(t, {
      shape: 'openbmc',
      differences: { hasSimpleUpdate: false, updatesPushed },
      task: { fileCopy: imageOn(t, `${'bios'.repeat(500_000)} "\r\n\r\n`) },
    });
    assert.equal(await ran(lab, update, settings('bios')), 'done', updatesPushed);
    assert.equal(lab.machine.biosVersion, '9.9.9');
    const uploads = lab.bmc.requests.filter(({ path: at }) => at.endsWith('/UpdateService/update'));
    assert.deepEqual(
      uploads.map(({ status }) => status),
      [202],
    );
    assert.ok(lab.task.done.includes('copy http://images.example/bios.bin'));
  }
});

test('an upload whose session has ended is sent again as a whole, after a login', async (t) => {
  const lab = await steppingLab(t, {
    differences: { hasSimpleUpdate: false, updatesPushed: 'raw' },
    task: { fileCopy: imageOn(t, 'bios'.repeat(100_000)) },
  });
  lab.bmc.faults.add({
    path: '/UpdateService/update',
    does: { kind: 'answer', status: 401, body: {} },
  });
  assert.equal(await ran(lab, update, settings('bios')), 'done');
  assert.equal(lab.machine.biosVersion, '9.9.9');
});

test('an unanswered upload fails after the time that a slow BMC needs to receive it, plus five minutes', async (t) => {
  const lab = await steppingLab(t, {
    differences: { hasSimpleUpdate: false, updatesPushed: 'raw' },
    task: { fileCopy: imageOn(t, 'bios'.repeat(100_000)) },
  });
  lab.bmc.faults.add({ path: '/UpdateService/update', does: { kind: 'silence' } });
  let hasEnded = false;
  const failure = rejectsFault(ran(lab, update, settings('bios')), 'BmcFailure', /./).finally(() => {
    hasEnded = true;
  });
  while (!lab.bmc.requests.some(({ path: at }) => at.endsWith('/UpdateService/update'))) await setImmediate();
  await lab.task.clock.advance(303_000);
  assert.equal(hasEnded, false);
  await lab.task.clock.advance(2000);
  await failure;
});

test("for firmware_source local, a file URL or a checksum, the BMC gets a local copy's URL, otherwise the image's", async (t) => {
  const copy = imageOn(t, 'bios');
  for (const [options, url, sent] of [
    [{}, 'http://images.example/bios.bin', 'http://images.example/bios.bin'],
    [{ firmware_source: 'local' }, 'https://images.example/bios.bin', copy.url],
    [{}, 'file:///srv/firmware/bios.bin', copy.url],
    [{}, 'http://images.example/bios.bin#sha256=00ff', copy.url],
  ] as const) {
    const lab = await steppingLab(t, { options, task: { fileCopy: copy } });
    assert.equal(await ran(lab, update, { settings: [{ component: 'bios', url }] }), 'done');
    const { body } = lab.bmc.requests.find(({ path: at }) => at.endsWith('SimpleUpdate')) ?? {};
    assert.deepEqual(body, { ImageURI: sent, TransferProtocol: 'HTTP' });
    assert.equal(lab.task.done.includes(`copy ${url}`), sent === copy.url);
  }
});

test('a firmware source that this daemon does not offer is refused before anything is sent', async (t) => {
  for (const [options, url, reason] of [
    [{ firmware_source: 'swift' }, null, /swift; there is no object store here: use local, or http/],
    [{ firmware_source: 'local' }, null, /serves no files: set \[boot_http\] port/],
  ] as const) {
    const lab = await steppingLab(t, { options, task: { fileCopy: { ...imageOn(t, 'bios'), url } } });
    await rejectsFault(ran(lab, update, settings('bios')), 'InvalidParameter', reason);
    assert.equal(updates(lab), 0);
  }
});

test('an update that a killed daemon has not sent is sent, and one that cannot begin leaves nothing in the record', async (t) => {
  const lab = await steppingLab(t);
  assert.equal(await update?.run(lab.task, settings('bios')), 'wait');
  const begun = lab.task.node.driver_internal_info['redfish_fw_updates'] as object;
  const other = await steppingLab(t);
  await other.task.update({
    driver_internal_info: {
      redfish_fw_updates: {
        ...begun,
        stage: 'unsent',
        versionBefore: '0.9',
        task: null,
        since: other.task.clock.now(),
      },
    },
  });
  assert.equal(await polled(other, update, settings('bios')), 'done');
  assert.deepEqual([updates(other), other.machine.biosVersion], [1, '9.9.9']);
  const without = await steppingLab(t, { differences: { hasSimpleUpdate: false } });
  await rejectsFault(
    ran(without, update, settings('bios')),
    'FirmwareNotUpdated',
    /takes no firmware images/,
  );
  assert.equal(without.task.node.driver_internal_info['redfish_fw_updates'], undefined);
});

test('adapters or a BMC that cannot be read leave the other versions, and only their own updates are refused', async (t) => {
  const lab = await steppingLab(t, { shape: 'dell9' });
  lab.bmc.faults.add({ path: '/NetworkAdapters', times: 999, does: { kind: 'answer', status: 400 } });
  lab.bmc.faults.add({ path: lab.bmc.paths.manager, times: 999, does: { kind: 'answer', status: 403 } });
  assert.deepEqual(
    (await redfishFirmware.readComponents?.(lab.task))?.map(({ component }) => component),
    ['bios'],
  );
  assert.equal(await ran(lab, update, settings('bios')), 'done');
  await rejectsFault(
    ran(lab, update, settings('nic:NIC-SERIAL-1')),
    'FirmwareUpdateFailed',
    /its version cannot be read \(.*the network adapters: HTTP status 400/,
  );
  assert.equal(updates(lab), 1);
});

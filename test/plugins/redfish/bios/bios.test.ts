import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { Json } from '../../../../daemon/plugin-api/index.ts';
import { redfishBios } from '../../../../plugins/redfish/bios/bios.ts';
import { converse } from '../../../../plugins/redfish/bmc/converse.ts';
import { requestedAttributes } from '../../../../plugins/redfish/bios/requested-settings.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { readDump } from '../../../fakes/machines/dumped-bmc.ts';
import { dumpLab } from '../dumps/dump-lab.ts';
import { FIXTURES } from '../dumps/table.ts';
import type { RedfishLab } from '../redfish-lab.ts';
import { polled, ran, steppingLab } from '../stepping.ts';

const { apply_configuration: apply, factory_reset: reset } = redfishBios.steps ?? {};
const settings = (...pairs: readonly (readonly [string, Json])[]) => ({
  settings: pairs.map(([name, value]) => ({ name, value })),
});
const patches = ({ bmc }: RedfishLab) => bmc.requests.filter(({ method }) => method === 'PATCH');

test('a registry whose reading failed is read again the next time', async (t) => {
  const { bmc, task } = await steppingLab(t);
  bmc.faults.add({
    path: 'BiosAttributeRegistry.v1_0_0/en.json',
    times: 20,
    does: { kind: 'answer', status: 500, body: {} },
  });
  const types = async () =>
    ((await redfishBios.readSettings?.(task)) ?? []).map(({ attribute_type: type }) => type);
  assert.ok((await types()).every((type) => type === undefined));
  bmc.faults.clear();
  assert.ok((await types()).every((type) => type !== undefined));
});

test('a registry in gzip is read, also when the BMC sends it only to those that ask for gzip', async (t) => {
  const dump = readDump(path.join(FIXTURES, 'hpe-dl380a-gen11-ilo6.json.gz'));
  const registry = [...dump.keys()].find((each) => each.includes('registrystore')) ?? '';
  for (const how of ['always', 'asked'] as const) {
    const lab = await dumpLab(t, dump);
    lab.compressed.set(registry, how);
    const described = ((await redfishBios.readSettings?.(lab.task)) ?? []).filter(
      ({ attribute_type: type }) => type !== undefined,
    );
    assert.equal(described.length, 5, how);
    assert.deepEqual(lab.task.logged, []);
  }
});

test('the registry of an older version of the BIOS is found, and one that a BMC does not have is named', async (t) => {
  const { bmc, task } = await steppingLab(t, { shape: 'dell9' });
  const { system } = bmc.paths;
  const bios = await converse(task, { operation: 'Reading' }, (each) => each.get(`${system}/Bios`));
  const described = async () =>
    ((await redfishBios.readSettings?.(task)) ?? []).some(({ attribute_type: type }) => type !== undefined);
  const named = (AttributeRegistry: string) =>
    bmc.overrides.set(`${system}/Bios`, { ...bios, AttributeRegistry });
  named('BiosAttributeRegistry.v1_0_9');
  assert.equal(await described(), true);
  assert.deepEqual(task.logged, []);
  for (const name of ['AcmeRegistry.v1_0_0', 'AcmeRegistry.v1_0_0']) {
    named(name);
    assert.equal(await described(), false);
    assert.match(
      JSON.stringify(task.logged.at(-1)),
      /types and allowed values: the BMC does not have AcmeReg/,
    );
  }
  assert.equal(task.logged.length, 2);
});

test('pending settings that a BMC does not show count as none, and a BIOS that is linked but not there as not managed', async (t) => {
  const lab = await steppingLab(t);
  const { system } = lab.bmc.paths;
  lab.bmc.faults.add({
    method: 'GET',
    path: '/Bios/Settings',
    times: 99,
    does: { kind: 'answer', status: 403 },
  });
  assert.equal(await ran(lab, apply, settings(['NumLock', 'Off'])), 'done');
  lab.bmc.overrides.set(`${system}/Bios`, null);
  await rejectsFault(
    redfishBios.readSettings?.(lab.task) ?? Promise.resolve(),
    'BiosNotManaged',
    /does not manage the BIOS/,
  );
});

test('BIOS settings are read with their allowed values and limits from the registry', async (t) => {
  const { task } = await steppingLab(t);
  const all = (await redfishBios.readSettings?.(task)) ?? [];
  const found = (name: string) => all.find((each) => each.name === name);
  assert.deepEqual(found('NumLock')?.allowable_values, ['On', 'Off']);
  assert.equal(found('AcPwrRcvryUserDelay')?.value, '60');
  assert.equal(found('AcPwrRcvryUserDelay')?.upper_bound, 600);
  assert.equal(found('BootMode')?.read_only, true);
  assert.equal(found('AssetTag')?.unique, true);
});

test('settings are changed by one reboot, on the BMCs of several vendors', async (t) => {
  for (const shape of ['plain', 'dell9', 'hpe', 'lenovo', 'ami'] as const) {
    const lab = await steppingLab(t, { shape });
    const given = settings(['ProcVirtualization', 'Enabled'], ['AcPwrRcvryUserDelay', '120']);
    assert.equal(await ran(lab, apply, given), 'done', shape);
    assert.equal(lab.machine.attributes['ProcVirtualization'], 'Enabled');
    assert.equal(lab.machine.attributes['AcPwrRcvryUserDelay'], 120);
    assert.equal(patches(lab).filter(({ status }) => status < 300).length, 1);
    assert.equal(lab.machine.resets.length, 1, shape);
    assert.equal(lab.task.node.driver_internal_info['redfish_bios_state'], undefined);
  }
});

test('a BIOS without a link to its settings is changed at the resource that redfish_quirks names', async (t) => {
  const lab = await steppingLab(t, {
    differences: { linksBiosSettings: false, biosSettings: 'SD' },
    info: { redfish_quirks: { biosSettings: 'SD' } },
  });
  assert.equal(await ran(lab, apply, settings(['NumLock', 'Off'])), 'done');
  assert.equal(lab.machine.attributes['NumLock'], 'Off');
});

test('settings that the machine already has need no reboot', async (t) => {
  const lab = await steppingLab(t);
  assert.equal(await ran(lab, apply, settings(['NumLock', 'On'])), 'done');
  assert.deepEqual([lab.machine.resets, patches(lab)], [[], []]);
});

const of = (value: Json, attribute_type: 'Integer' | 'Boolean') =>
  requestedAttributes(settings(['X', value]), { X: { attribute_type } });

test('booleans, and integers without limits, are converted and checked by their type', () => {
  assert.deepEqual(
    [of('yes', 'Boolean'), of('0', 'Boolean'), of('7', 'Integer')],
    [{ X: true }, { X: false }, { X: 7 }],
  );
  assert.throws(() => of('maybe', 'Boolean'), /X: expected true or false/);
  assert.throws(() => of('abc', 'Integer'), /X: expected a whole number$/);
});

test('wrong settings are all named before anything is sent', async (t) => {
  const lab = await steppingLab(t);
  const given = settings(
    ['BootMode', 'Bios'],
    ['NumLock', 'Maybe'],
    ['AcPwrRcvryUserDelay', 5],
    ['AssetTag', 'much too long'],
  );
  await rejectsFault(
    ran(lab, apply, given),
    'InvalidParameter',
    /BootMode: it is read-only; NumLock: "Maybe"; expected one of On, Off; AcPwrRcvryUserDelay: expected a whole number from 60 up to 600; AssetTag: expected a number of characters from 0 up to 8/,
  );
  await rejectsFault(ran(lab, apply, {}), 'InvalidParameter', /a list of/);
  assert.deepEqual(patches(lab), []);
});

test('after a restart during the step, the daemon continues from driver_internal_info and sends nothing twice', async (t) => {
  const lab = await steppingLab(t);
  const given = settings(['NumLock', 'Off']);
  assert.equal(await apply?.run(lab.task, given), 'wait');
  const again = await steppingLab(t, { node: { driver_internal_info: lab.task.node.driver_internal_info } });
  again.machine.attributesWanted = { NumLock: 'Off' };
  assert.equal(await polled(again, apply, given), 'done');
  assert.deepEqual(patches(again), []);
});

test('a setting that stays pending fails the step, which names it', async (t) => {
  const lab = await steppingLab(t);
  lab.machine.attributesStuck = ['NumLock'];
  const given = settings(['NumLock', 'Off'], ['ProcVirtualization', 'Enabled']);
  await rejectsFault(
    ran(lab, apply, given),
    'BiosNotApplied',
    /within 1800 s, although the machine was rebooted: NumLock\.$/,
  );
});

test('a factory reset sends the body that a BMC demands, and is refused if the BMC does not manage the BIOS', async (t) => {
  const lab = await steppingLab(t, { shape: 'hpe' });
  lab.machine.attributes = { ...lab.machine.attributes, NumLock: 'Off' };
  assert.equal(await ran(lab, reset), 'done');
  assert.equal(lab.machine.attributes['NumLock'], 'On');
  const without = await steppingLab(t, { shape: 'openbmc' });
  await rejectsFault(ran(without, reset), 'BiosNotManaged', /does not manage the BIOS/);
});

test('a reboot that a killed daemon began but did not send is sent after ten minutes', async (t) => {
  const lab = await steppingLab(t, { node: { power_state: 'power on' } });
  lab.machine.power = 'On';
  const { task, machine } = lab;
  assert.equal(await apply?.run(task, settings(['NumLock', 'Off'])), 'wait');
  const begun = { stage: 'begun', since: task.clock.now() };
  const { redfish_bios_state: state, ...rest } = task.node.driver_internal_info;
  await task.update({
    driver_internal_info: { ...rest, redfish_bios_state: { ...(state as object), reboot: begun } },
  });
  assert.equal(await polled(lab, apply), 'done');
  assert.deepEqual([machine.attributes['NumLock'], machine.resets], ['Off', ['ForceOff', 'On']]);
  assert.ok(task.clock.now() - begun.since >= 600_000);
  assert.equal(patches(lab).length, 1);
});

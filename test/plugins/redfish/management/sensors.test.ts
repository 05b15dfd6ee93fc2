import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../daemon/plugin-api/index.ts';
import { readSensors } from '../../../../plugins/redfish/management/sensors/sensors.ts';
import { redfishLab, type RedfishLab } from '../redfish-lab.ts';

const shortly = (sensors: Awaited<ReturnType<typeof readSensors>>) =>
  sensors.map(({ type, id, reading, unit, health }) =>
    [type, id, reading, unit, health].filter((each) => each !== null).join(' '),
  );

test('sensors come from Thermal, Power and the drives; what is not plugged in is left out', async (t) => {
  const { task } = await redfishLab(t);
  const sensors = await readSensors(task);
  assert.deepEqual(shortly(sensors), [
    'Fan 0@1 5000 rpm OK',
    'Temperature 0@1 24 celsius OK',
    'Power 0:Power@1 150 watts OK',
    'Power PowerControl.0:Power@1 210 watts',
    'Voltage 0:Power@1 12.1 volts OK',
    'Drive Drive D1:S1@1 OK',
    'Drive Drive D2:S1@1 OK',
  ]);
  assert.deepEqual(sensors[1]?.fields, {
    identity: '0',
    max_reading_range_temp: null,
    min_reading_range_temp: null,
    reading_celsius: 24,
    physical_context: null,
    sensor_number: 1,
    state: 'Enabled',
    health: 'OK',
  });
});

test('a BMC without Thermal and Power is read from its collection of sensors', async (t) => {
  const { task } = await redfishLab(t, { shape: 'dell10' });
  assert.deepEqual(shortly(await readSensors(task)).slice(0, 4), [
    'Temperature Inlet@System.Embedded.1 24 celsius OK',
    'Fan Fan1@System.Embedded.1 5000 rpm OK',
    'Fan Fan1Level@System.Embedded.1 40 percent OK',
    'Power Total@System.Embedded.1 210 watts OK',
  ]);
});

test('a second reading costs one request for a collection of sensors and one for the drives', async (t) => {
  const { task, bmc } = await redfishLab(t, { shape: 'dell10' });
  await readSensors(task);
  bmc.forget();
  await readSensors(task);
  assert.deepEqual(bmc.forget(), [
    'GET /redfish/v1/Chassis/System.Embedded.1/Sensors',
    'GET /redfish/v1/Systems/System.Embedded.1/Storage/S1',
  ]);
});

test('numbers in texts are read, null is no reading, and without a Storage there are no drives', async (t) => {
  const { task, bmc } = await redfishLab(t);
  const { chassis, system } = bmc.paths;
  bmc.overrides.set(`${chassis}/Power`, null);
  bmc.overrides.set(`${chassis}/Thermal`, {
    Fans: [{ Name: 'Fan 7', Reading: '41', ReadingUnits: 'Percent', Status: { Health: 'Melting' } }, null],
    Temperatures: [{ MemberId: 'T1', ReadingCelsius: null, Status: null }],
  });
  bmc.overrides.set(`${system}/Storage`, null);
  assert.deepEqual(shortly(await readSensors(task)), ['Fan Fan 7@1 41 percent', 'Temperature T1@1 celsius']);
});

const ROOT = '/redfish/v1';
const link = (path: string) => ({ '@odata.id': path });
const TEMPERATURE = { ReadingType: 'Temperature', Reading: 30 };

/** Replaces the chassis of the BMC by these, of which each has a collection of one sensor. */
function setChassis(
  { bmc }: RedfishLab,
  links: Readonly<Record<string, JsonObject | undefined>>,
  others: readonly string[] = [],
): void {
  const paths = Object.keys(links).map((id) => `/redfish/v1/Chassis/${id}`);
  bmc.overrides.set('/redfish/v1/Chassis', { Members: [...paths, ...others].map(link) });
  for (const [id, own] of Object.entries(links)) {
    const path = `/redfish/v1/Chassis/${id}`;
    bmc.overrides.set(path, {
      '@odata.id': path,
      Id: id,
      Sensors: link(`${path}/Sensors`),
      ...(own !== undefined && { Links: own }),
    });
    bmc.overrides.set(`${path}/Sensors`, { Members: [link(`${path}/Sensors/T`)] });
    bmc.overrides.set(`${path}/Sensors/T`, {
      '@odata.id': `${path}/Sensors/T`,
      Id: 'T',
      Name: 'T',
      ...TEMPERATURE,
    });
  }
}

const placesOf = async ({ task }: RedfishLab) =>
  (await readSensors(task)).flatMap(({ type, id }) => (type === 'Temperature' ? [id] : []));

test('sensors come from all chassis of the BMC, also from those that link nothing', async (t) => {
  const lab = await redfishLab(t);
  const dangling = ['/redfish/v1/Chassis/gone'];
  setChassis(lab, { 1: { ComputerSystems: [] }, GPU_1: undefined, GPU_2: {} }, dangling);
  assert.deepEqual(await placesOf(lab), ['T@1', 'T@GPU_1', 'T@GPU_2']);
});

test('where a BMC manages several systems, each has the chassis that are linked with it and what these contain', async (t) => {
  const lab = await redfishLab(t, { info: { redfish_system_id: '/redfish/v1/Systems/1' } });
  lab.bmc.overrides.set('/redfish/v1/Systems', {
    Members: [link(`${ROOT}/Systems/1`), link(`${ROOT}/Systems/2`)],
  });
  setChassis(lab, {
    1: { Contains: [link(`${ROOT}/Chassis/Board/`)] },
    Board: {},
    Drawer: { ContainedBy: link(`${ROOT}/Chassis/Board`) },
    Loop: { ContainedBy: link(`${ROOT}/Chassis/Loop`) },
    Own: { ComputerSystems: [link(`${ROOT}/Systems/1`)] },
    Other: { ComputerSystems: [link(`${ROOT}/Systems/2`)] },
    Nobodys: {},
  });
  assert.deepEqual(await placesOf(lab), ['T@1', 'T@Board', 'T@Drawer', 'T@Own']);
});

test('the collection of sensors adds what Thermal and Power do not show, of whatever kind', async (t) => {
  const lab = await redfishLab(t);
  const { chassis } = lab.bmc.paths;
  const shown = { '@odata.id': chassis, Id: '1', Power: { '@odata.id': `${chassis}/Power` } };
  lab.bmc.overrides.set(chassis, { ...shown, Sensors: { '@odata.id': `${chassis}/Sensors` } });
  lab.bmc.overrides.set(`${chassis}/Power`, { PowerControl: [{ Name: 'Total', PowerConsumedWatts: 90 }] });
  const members = [
    { Id: 'a', Name: 'Total', ReadingType: 'Power', Reading: 90 },
    { Id: 'b', Name: 'Inlet', ReadingType: 'Temperature', Reading: 21 },
    { Id: 'c', Name: 'Used', ReadingType: 'EnergykWh', Reading: 4 },
    { Id: 'd', Name: 'Slot 9', ReadingType: 'Temperature', Status: { State: 'Absent' } },
    { Id: 'e', Name: 'Odd' },
    { Id: 'f', Name: 'Odder', ReadingType: 'constructor' },
  ];
  lab.bmc.overrides.set(`${chassis}/Sensors`, { Members: members });
  assert.deepEqual(shortly(await readSensors(lab.task)).slice(0, 5), [
    'Power PowerControl.Total:Power@1 90 watts',
    'Temperature b@1 21 celsius',
    'EnergykWh c@1 4',
    'Other e@1',
    'constructor f@1',
  ]);
});

test('a list of sensors that is no longer than Thermal and Power is not read one by one', async (t) => {
  const { bmc, task } = await redfishLab(t);
  const { chassis } = bmc.paths;
  const sensors = `${chassis}/Sensors`;
  bmc.overrides.set(chassis, {
    ...link(chassis),
    Id: '1',
    Thermal: link(`${chassis}/Thermal`),
    Sensors: link(sensors),
  });
  bmc.overrides.set(sensors, { Members: [link(`${sensors}/0`), link(`${sensors}/1`)] });
  await readSensors(task);
  assert.deepEqual(
    bmc.requests.map(({ path }) => path).filter((path) => path.startsWith(sensors)),
    [sensors],
  );
});

test('a chassis, Thermal or drives that cannot be read leave the other sensors', async (t) => {
  const lab = await redfishLab(t);
  setChassis(lab, { 1: undefined, 2: undefined });
  lab.bmc.faults.add({ path: '/Chassis/2/Sensors', times: 9, does: { kind: 'answer', status: 400 } });
  lab.bmc.faults.add({ path: '/Storage/S1', times: 9, does: { kind: 'answer', status: 403 } });
  assert.deepEqual(shortly(await readSensors(lab.task)), ['Temperature T@1 30 celsius']);
  const warning = lab.task.logged.find(({ level }) => level === 'warn');
  assert.deepEqual(warning?.fields, {
    operation: 'Reading the sensors',
    unread: [
      'the sensors of chassis 2: HTTP status 400',
      'the storage (/redfish/v1/Systems/1/Storage/S1): HTTP status 403',
    ],
  });
  lab.bmc.faults.clear();
  assert.equal((await readSensors(lab.task)).length, 4);
});

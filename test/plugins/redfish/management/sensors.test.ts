import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSensors } from '../../../../plugins/redfish/management/sensors/sensors.ts';
import { redfishLab } from '../redfish-lab.ts';

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

test('numbers in texts are read, null is no reading, and a Storage that cannot be read fails the reading', async (t) => {
  const { task, bmc } = await redfishLab(t);
  const { chassis, system } = bmc.paths;
  bmc.overrides.set(`${chassis}/Power`, null);
  bmc.overrides.set(`${chassis}/Thermal`, {
    Fans: [{ Name: 'Fan 7', Reading: '41', ReadingUnits: 'Percent', Status: { Health: 'Melting' } }, null],
    Temperatures: [{ MemberId: 'T1', ReadingCelsius: null, Status: null }],
  });
  bmc.overrides.set(`${system}/Storage`, null);
  await assert.rejects(readSensors(task), /Storage/);
  bmc.overrides.set(`${system}/Storage`, { Members: [] });
  assert.deepEqual(shortly(await readSensors(task)), ['Fan Fan 7@1 41 percent', 'Temperature T1@1 celsius']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as always, property, string } from 'fast-check';
import { parseSensors } from '../../../../plugins/ipmi/sensors/parse-sensors.ts';
import { readSensors } from '../../../../plugins/ipmi/sensors/read-sensors.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { startIpmiSim } from '../../../../daemon/simulator/ipmi/ipmi-sim.ts';
import { ipmiTask } from '../ipmi-task.ts';

test('the sensors of a BMC are read with their units and their health', async (t) => {
  const sim = await startIpmiSim({ sensors: true });
  t.after(() => sim.stop());
  const sensors = await readSensors(ipmiTask(sim));
  assert.deepEqual(
    sensors.map(({ type, id, reading, unit, health }) => ({ type, id, reading, unit, health })),
    [
      { type: 'Temperature', id: 'CPU Temp (0x1)', reading: 38, unit: 'celsius', health: 'OK' },
      { type: 'Fan', id: 'Fan 1 (0x2)', reading: 500, unit: 'rpm', health: 'Critical' },
      { type: 'Power', id: 'PSU 1 (0x3)', reading: null, unit: null, health: null },
    ],
  );
  assert.partialDeepStrictEqual(sensors[0]?.fields, {
    'Entity ID': '3.1 (Processor)',
    'Sensor Reading': '38 (+/- 0) degrees C',
    'Upper critical': '90.000',
  });
});

test('reading the sensors of a BMC that has none fails with its answer', async (t) => {
  const sim = await startIpmiSim();
  t.after(() => sim.stop());
  await rejectsFault(readSensors(ipmiTask(sim)), 'BmcFailure', /Get SDR .* failed: .* not found/);
});

const paragraph = (reading: string, status: string) =>
  `Sensor ID              : S (0x1)\n Sensor Type (Threshold)  : Power Supply (0x08)\n Sensor Reading        : ${reading}\n Status                : ${status}\n`;

test('a reading that is not a number with a known unit yields no value, and the status gives the health', () => {
  const readings = ['12.5 (+/- 0.1) Volts', '40 percent', '0h', 'No Reading', '7 (+/- 0) grays', 'x Volts'];
  assert.deepEqual(
    readings
      .map((reading) => parseSensors(paragraph(reading, 'ok'))[0])
      .map((read) => [read?.reading, read?.unit]),
    [
      [12.5, 'volts'],
      [40, 'percent'],
      [null, null],
      [null, null],
      [null, null],
      [null, null],
    ],
  );
  const statuses = ['ok', 'Upper Non-Critical', 'Lower Critical', 'Upper Non-Recoverable', 'Not Available'];
  assert.deepEqual(
    statuses.map((status) => parseSensors(paragraph('1 Watts', status))[0]?.health),
    ['OK', 'Warning', 'Critical', 'Critical', null],
  );
});

test('a colon in the name of a sensor belongs to the name', () => {
  const [found] = parseSensors(paragraph('38 (+/- 0) degrees C', 'ok').replace(': S ', ': P1:DIMM '));
  assert.deepEqual([found?.id, found?.reading], ['P1:DIMM (0x1)', 38]);
});

test('any text is parsed without an error', () => {
  always(property(string(), (text) => Array.isArray(parseSensors(text))));
  always(property(string(), (text) => parseSensors(paragraph(text, text)).length <= 1));
});

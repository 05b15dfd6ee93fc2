// Parses what `ipmitool -v sdr` prints: paragraphs of lines such as `Sensor Reading : 38 (+/- 0) degrees C`.
import type { JsonObject, SensorReading } from '#plugin-api';

const UNITS: Readonly<Record<string, SensorReading['unit']>> = {
  'degrees C': 'celsius',
  RPM: 'rpm',
  percent: 'percent',
  Volts: 'volts',
  Amps: 'amperes',
  Watts: 'watts',
};

/** Returns the sensors that have an id, a type and a reading in the text; if two have the same type and id, only the last. */
export function parseSensors(text: string): readonly SensorReading[] {
  const found = text.split('\n\n').flatMap((paragraph) => sensorIn(fieldsIn(paragraph)));
  return [...new Map(found.map((sensor) => [`${sensor.type} ${sensor.id}`, sensor])).values()];
}

function fieldsIn(paragraph: string): Readonly<Record<string, string>> {
  const lines = paragraph.split('\n').map((line) => ({ line, end: line.indexOf(':') }));
  return Object.fromEntries(
    lines
      .filter(({ end }) => end !== -1)
      // the value may have colons too: a sensor may be named `P1:DIMM`
      .map(({ line, end }) => [line.slice(0, end).trim(), line.slice(end + 1).trim()]),
  );
}

function sensorIn(fields: Readonly<Record<string, string>>): SensorReading[] {
  const kind = Object.entries(fields).find(([name]) => name.startsWith('Sensor Type ('))?.[1];
  const { 'Sensor ID': id, 'Sensor Reading': reading, Status: status = '' } = fields;
  if (id === undefined || kind === undefined || reading === undefined) return [];
  const [type = ''] = kind.split(' ', 1);
  return [{ type, id, ...measured(reading), health: healthIn(status), fields: fields satisfies JsonObject }];
}

/**
 * Returns the measured value and its unit. Both are null unless the reading is a number in one of UNITS: a discrete sensor shows a
 * bit mask instead, and an absent sensor shows `No Reading`.
 */
function measured(reading: string): Pick<SensorReading, 'reading' | 'unit'> {
  const [number = ''] = reading.split(' ', 1);
  const words = reading.slice(number.length).trim();
  const tolerance = words.startsWith('(') ? words.indexOf(')') + 1 : 0;
  const unit = UNITS[words.slice(tolerance).trim()];
  const value = Number(number);
  return unit === undefined || unit === null || !Number.isFinite(value)
    ? { reading: null, unit: null }
    : { reading: value, unit };
}

function healthIn(status: string): SensorReading['health'] {
  if (status === 'ok') return 'OK';
  if (status.endsWith('Non-Critical')) return 'Warning';
  return status.endsWith('Critical') || status.endsWith('Non-Recoverable') ? 'Critical' : null;
}

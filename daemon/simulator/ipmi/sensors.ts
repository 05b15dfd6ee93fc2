// Commands that give ipmi_sim sensors, with the records (IPMI 2.0, sections 43.1 and 43.2) that describe them.

export interface SimulatedSensor {
  readonly number: number;
  readonly name: string;
  readonly kind: 'temperature' | 'fan' | 'power supply';
  /**
   * The octet that the sensor reads: degrees for a temperature, hundreds of revolutions per minute for a fan. A power supply is
   * present whatever the value.
   */
  readonly value: number;
}

const TEMPERATURE = { type: 0x01, unit: 1, factor: 1 };
const FAN = { type: 0x04, unit: 18, factor: 100 };
/** Critical above 90 degrees, or below 1000 rpm. */
const THRESHOLDS = { temperature: '010000 0 90 0 0 0 0', fan: '000010 0 0 0 0 10 0' };

export const ipmiSimSensors = (sensors: readonly SimulatedSensor[]): string =>
  sensors
    .map((sensor) => (sensor.kind === 'power supply' ? discrete(sensor) : analog(sensor, sensor.kind)))
    .join('');

function analog({ number, name, value }: SimulatedSensor, kind: 'temperature' | 'fan'): string {
  const { type, unit, factor } = kind === 'fan' ? FAN : TEMPERATURE;
  const mask = kind === 'fan' ? 0x02 : 0x10;
  const body = [
    [0x20, 0, number, 3, number, 0x7f, 0x68, type, 0x01],
    [0, 0, 0, 0, mask, mask],
    [0, unit, 0, 0, factor, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0xff, 0, 0, 90, 0, 0, 10, 0, 0, 0, 0, 0, 0],
  ].flat();
  return [
    record(0x01, body, name),
    `sensor_add 0x20 0 ${number} ${type} 0x01`,
    `sensor_set_threshold 0x20 0 ${number} readable ${THRESHOLDS[kind]}`,
    `sensor_set_event_support 0x20 0 ${number} 1 1 none 000000000000000 000000000000000 000000000000000 000000000000000`,
    `sensor_set_value 0x20 0 ${number} ${value} 0`,
    '',
  ].join('\n');
}

function discrete({ number, name }: SimulatedSensor): string {
  const body = [
    0x20,
    0,
    number,
    10,
    number,
    0x67,
    0x40,
    0x08,
    0x6f,
    0,
    0,
    0,
    0,
    1,
    0,
    0xc0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
  ];
  return [
    record(0x02, body, name),
    `sensor_add 0x20 0 ${number} 0x08 0x6f`,
    `sensor_set_event_support 0x20 0 ${number} 1 1 none 000000000000000 000000000000000 000000000000000 000000000000000`,
    `sensor_set_bit 0x20 0 ${number} 0 1 0`,
    '',
  ].join('\n');
}

function record(type: number, body: readonly number[], name: string): string {
  const text = [...Buffer.from(name)];
  const rest = [...body, 0xc0 | text.length, ...text];
  const octets = [0, 0, 0x51, type, rest.length, ...rest];
  return `main_sdr_add 0x20 ${octets.map((octet) => `0x${octet.toString(16).padStart(2, '0')}`).join(' ')}`;
}

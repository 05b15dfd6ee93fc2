// The tab Sensors of a machine: a line of 24 hours for each sensor, those with a problem first, and all of them as a table.
import { hasSensorProblem, type ShownSensor, type ShownSensors } from '../../read/node/sensors.ts';
import { html, type Markup, plural, timeOf } from '../../kit/markup.ts';
import { toneMark } from '../../kit/state.ts';
import { card, emptyState } from '../../kit/surfaces.ts';
import { table } from '../../kit/table.ts';
import { lineChart } from './chart.ts';

const OPTIONS = html`<pre>
[sensor_data]
send_sensor_data = true
enable_for_undeployed_nodes = true</pre>`;

export function sensorsTab(shown: ShownSensors): Markup {
  const { isOn, at, sensors } = shown;
  if (sensors.length === 0) return isOn ? unread() : switchedOff();
  const drawn = sensors.filter(({ course }) => course !== undefined);
  const problems = sensors.filter(hasSensorProblem).length;
  return html`<p>
      ${plural(sensors.length, 'sensor')},
      ${at === null ? 'not read since the daemon started, or unreadable the last time' : html`read at ${timeOf(at)} UTC`}.
      ${problems === 0 ? 'None reports a problem.' : html`<strong class="text-broken">${problems} with a problem.</strong>`}
      ${isOn ? '' : 'They are not read any more: [sensor_data] send_sensor_data is off.'}
    </p>
    <div class="charts">${drawn.map((sensor) => sensorCard(sensor, shown))}</div>
    ${card({ title: 'All sensors', aside: 'the last 24 hours', flush: true, body: sensorTable(sensors) })}`;
}

/** A card with the newest reading, its bounds and its line. */
export function sensorCard(sensor: ShownSensor, { longestGap }: Pick<ShownSensors, 'longestGap'>): Markup {
  const { id, type, course, health } = sensor;
  const about = `${id}, ${type}: 24 hours, from ${withUnit(sensor, sensor.least)} to ${withUnit(sensor, sensor.greatest)}`;
  return html`<section class="card sensor">
    <h2 title="${type}">${id}</h2>
    ${course === undefined ? '' : lineChart({ course, about, longestGap })}
    <p>
      <b>${withUnit(sensor, sensor.reading ?? course?.mean.findLast((mean) => mean !== null))}</b>
      ${health !== null && hasSensorProblem(sensor) ? toneMark(toneOfHealth(health), health) : ''}
      <small>${boundsOf(sensor)}</small>
    </p>
  </section>`;
}

const toneOfHealth = (health: NonNullable<ShownSensor['health']>) =>
  health === 'OK' ? 'good' : health === 'Warning' ? 'attention' : 'broken';

function boundsOf(sensor: ShownSensor): string {
  const { least, greatest } = sensor;
  if (least === undefined || greatest === undefined) return '';
  const bounds =
    least === greatest
      ? 'the same for 24 h'
      : `24 h: ${withUnit(sensor, least)} to ${withUnit(sensor, greatest)}`;
  return sensor.reading === null ? `not read now · ${bounds}` : bounds;
}

const UNITS: Readonly<Record<NonNullable<ShownSensor['unit']>, string>> = {
  celsius: '°C',
  rpm: 'rpm',
  percent: '%',
  volts: 'V',
  amperes: 'A',
  watts: 'W',
};

function withUnit({ unit }: ShownSensor, value: number | null | undefined): string {
  if (value === null || value === undefined) return 'not read';
  const rounded = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return unit === null ? String(rounded) : `${rounded} ${UNITS[unit]}`;
}

const sensorTable = (sensors: readonly ShownSensor[]): Markup =>
  table({
    about: 'The sensors',
    rows: sensors,
    columns: [
      { title: 'Sensor', isName: true, cell: ({ id }) => id },
      { title: 'Kind', look: 'soft', cell: ({ type }) => type },
      {
        title: 'Health',
        cell: ({ health }) => (health === null ? '' : toneMark(toneOfHealth(health), health)),
      },
      {
        title: 'Now',
        look: 'number',
        cell: (each) => (each.reading === null ? '' : withUnit(each, each.reading)),
      },
      {
        title: 'Least',
        look: 'number',
        cell: (each) => (each.least === undefined ? '' : withUnit(each, each.least)),
      },
      {
        title: 'Greatest',
        look: 'number',
        cell: (each) => (each.greatest === undefined ? '' : withUnit(each, each.greatest)),
      },
    ],
  });

const unread = (): Markup =>
  card({
    flush: true,
    body: emptyState({
      icon: 'clock',
      title: 'No reading yet',
      text: html`The sensors were not read yet, or could not be read the last time. Those of machines that are
        not in use are read only with <code>[sensor_data] enable_for_undeployed_nodes = true</code>.`,
    }),
  });

const switchedOff = (): Markup =>
  card({
    flush: true,
    body: emptyState({
      icon: 'settings',
      title: 'Sensors are not read',
      text: html`Put this into the configuration and restart the daemon: ${OPTIONS}`,
    }),
  });

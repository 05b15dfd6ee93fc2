// The tabs with what a machine itself reports: console, logs of its ramdisks, sensors and indicators.
import type { NodeReadings } from '../../../conductor/hardware/sensor-readings.ts';
import type { SavedLog } from '../../../conductor/ramdisk/ramdisk-logs.ts';
import type { Indicator, IndicatorState } from '../../../model/machine/indicators.ts';
import { html, type Markup, plural, timeOf } from '../markup.ts';

export interface ConsoleShown {
  readonly label: string;
  readonly enabled: boolean;
  /** The end of what the machine showed. */
  readonly text: string;
}

export const consoleTab = ({ label, enabled, text }: ConsoleShown): Markup =>
  html`<h2>Serial console</h2>
    <p>
      ${enabled ? 'The console is enabled.' : 'The console is disabled: what the machine shows now is not kept.'}
    </p>
    ${text === '' ? html`<p>The machine has shown nothing yet.</p>` : html`<pre tabindex="0" data-tail>${text}</pre>`}
    <p><code>ironic-edge node console ${label}</code></p>`;

export interface Logs {
  readonly node: string;
  /** The value of [agent] deploy_logs_collect. */
  readonly collect: string;
  readonly saved: readonly SavedLog[];
}

export const logsTab = ({ node, collect, saved }: Logs): Markup =>
  html`<h2>Logs of ramdisks</h2>
    ${
      saved.length === 0
        ? html`<p>No log is saved.</p>`
        : html`<ul class="entries">
            ${saved.map(
              ({ file, bytes, at }) =>
                html`<li>
                  <a href="/ui/nodes/${node}/logs/${encodeURIComponent(file)}" download="${file}">${file}</a>
                  <small>${Math.ceil(bytes / 1024)} KiB, ${timeOf(at)}</small>
                </li>`,
            )}
          </ul>`
    }
    <p>Logs are saved as <code>[agent] deploy_logs_collect = ${collect}</code> says.</p>`;

export function sensorsTab(readings: NodeReadings | undefined, isOn: boolean): Markup {
  if (!isOn)
    return html`<h2>Sensors</h2>
      <p>Sensors are not read. <code>[sensor_data] send_sensor_data = true</code> switches that on.</p>`;
  if (readings === undefined)
    return html`<h2>Sensors</h2>
      <p>The sensors of this machine were not read yet, or could not be read the last time.</p>`;
  const unhealthy = readings.sensors.filter(({ health }) => health !== null && health !== 'OK');
  const sorted = [...unhealthy, ...readings.sensors.filter((sensor) => !unhealthy.includes(sensor))];
  return html`<h2>Sensors</h2>
    <p>
      ${plural(sorted.length, 'sensor')}, read at ${timeOf(new Date(readings.at).toISOString())};
      ${unhealthy.length === 0 ? 'none reports a problem.' : html`<strong class="failed">${unhealthy.length} with a problem.</strong>`}
    </p>
    <table>
      <thead>
        <tr>
          <th scope="col">Kind</th>
          <th scope="col">Sensor</th>
          <th scope="col">Reading</th>
          <th scope="col">Health</th>
        </tr>
      </thead>
      <tbody>
        ${sorted.map(
          ({ type, id, reading, unit, health }) =>
            html`<tr>
              <td>${type}</td>
              <th scope="row">${id}</th>
              <td>${reading === null ? '' : `${reading} ${unit ?? ''}`}</td>
              <td>
                ${health === null || health === 'OK' ? (health ?? '') : html`<strong class="failed">${health}</strong>`}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>`;
}

export interface IndicatorShown extends Pick<Indicator, 'readonly' | 'states'> {
  /** The indicator and its component: `led@chassis`. */
  readonly name: string;
  readonly state: IndicatorState | undefined;
}

/** `refusal`: why the indicators cannot be listed. */
export const indicatorsTab = (
  node: string,
  indicators: readonly IndicatorShown[],
  refusal: string | undefined,
): Markup =>
  html`<h2>Indicators</h2>
    ${refusal === undefined ? '' : html`<p class="trouble">${refusal}</p>`}
    ${refusal === undefined && indicators.length === 0 ? html`<p>The machine has no indicator.</p>` : ''}
    <ul class="entries">
      ${indicators.map(
        ({ name, readonly, states, state }) =>
          html`<li>
            <strong>${name}</strong> ${state ?? 'unknown'}
            ${readonly ? '' : indicatorForm(node, name, states)}
          </li>`,
      )}
    </ul>`;

const indicatorForm = (node: string, name: string, states: readonly IndicatorState[]): Markup =>
  html`<form method="post" action="/ui/indicators">
    <input type="hidden" name="node" value="${node}" />
    <input type="hidden" name="indicator" value="${name}" />
    ${states
      .filter((state) => state !== 'unknown')
      .map(
        (state) =>
          html`<button name="state" value="${state}" aria-label="Set ${name} to ${state}">${state}</button> `,
      )}
  </form>`;

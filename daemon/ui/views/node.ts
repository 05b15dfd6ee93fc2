// The view Node: what is wrong, what can be done, and all that is known of one machine.
import type { Json, JsonObject } from '../../model/json.ts';
import type { MachineEvent } from '../../model/records/machine-event.ts';
import type { NodeHistory } from '../../model/records/node-history.ts';
import { actions, fittingActions } from '../actions/actions.ts';
import { labelOf, type Machine } from '../read/machines.ts';
import { html, type Markup, plural, timeOf } from './markup.ts';
import { stateMark } from './state.ts';
import { lastBoot, timelineView } from './timeline.ts';

export interface NodePage {
  readonly machine: Machine;
  /** The node as the API shows it. */
  readonly record: JsonObject;
  /** The result of the last inspection; undefined before the first. */
  readonly inventory: JsonObject | undefined;
  readonly events: readonly MachineEvent[];
  readonly history: readonly NodeHistory[];
  readonly macs: readonly string[];
}

export function nodeView(page: NodePage): Markup {
  const { machine, record, inventory, events, history } = page;
  const boot = lastBoot(events);
  return html`<h1>${labelOf(machine)}</h1>
    <div id="facts" data-live>${facts(page)}${trouble(machine)}</div>
    <div id="actions" data-live>${actionForm(machine)}</div>
    <nav aria-label="Parts of this page">
      <a href="#timeline">Timeline</a> <a href="#inventory">Inventory</a> <a href="#history">History</a>
      <a href="#record">Record</a>
    </nav>
    <section
      id="timeline"
      data-live
      data-timeline="/v1/nodes/${machine.uuid}/timeline?since=${events.at(-1)?.id ?? 0}"
    >
      <h2>Timeline of the last boot</h2>
      ${timelineView(boot)}
      ${
        boot.length === events.length
          ? ''
          : html`<details id="earlier">
              <summary>${plural(events.length - boot.length, 'earlier event')}</summary>
              ${timelineView(events.slice(0, events.length - boot.length))}
            </details>`
      }
      <p><code>ironic-edge node timeline ${labelOf(machine)} --follow</code></p>
    </section>
    <section id="inventory">
      <h2>Inventory</h2>
      ${
        inventory === undefined
          ? html`<p>This machine has not been inspected.</p>`
          : html`<details>
              <summary>What the last inspection found</summary>
              <pre tabindex="0">${pretty(inventory)}</pre>
            </details>`
      }
    </section>
    <section id="history" data-live>
      <h2>History</h2>
      ${history.length === 0 ? html`<p>There is no entry yet.</p>` : historyList(history)}
    </section>
    <section id="record">
      <h2>Record</h2>
      <details>
        <summary>The node as the API shows it</summary>
        <pre tabindex="0">${pretty(record)}</pre>
      </details>
    </section>`;
}

const pretty = (value: Json): string => JSON.stringify(value, null, 2);

function facts({ machine, record, inventory, macs }: NodePage): Markup {
  const vendor = inventory?.['system_vendor'] as JsonObject | undefined;
  const model = ['manufacturer', 'product_name']
    .map((name) => textIn(vendor?.[name]))
    .join(' ')
    .trim();
  const shown: readonly (readonly [string, Markup | string])[] = [
    [
      'State',
      html`${stateMark(machine.state)} ${machine.locked ? 'working' : ''} since ${timeOf(machine.since)}`,
    ],
    ['Power', machine.power ?? 'unknown'],
    ['Place', machine.unit === null ? machine.rack : `${machine.rack}, unit ${machine.unit}`],
    ['Model', model],
    ['Serial', textIn(vendor?.['serial_number'])],
    ['BMC', bmcAddress(record)],
    ['MAC', macs.join(', ')],
    ['Driver', textIn(record['driver'])],
    ['Class', textIn(record['resource_class'])],
    ['UUID', machine.uuid],
  ];
  return html`<dl>
    ${shown.map(([name, value]) =>
      value === ''
        ? ''
        : html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
    )}
  </dl>`;
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

function bmcAddress(record: JsonObject): string {
  const given = Object.entries((record['driver_info'] ?? {}) as JsonObject);
  return textIn(given.find(([name]) => name.endsWith('_address'))?.[1]);
}

function trouble({ error, maintenance, maintenanceReason, quarantined }: Machine): Markup {
  if (error === null && !maintenance && !quarantined) return html``;
  return html`<div class="trouble">
    ${quarantined ? html`<p><strong>Quarantined.</strong> Nothing touches its BMC before it is released.</p>` : ''}
    ${maintenance ? html`<p><strong>In maintenance.</strong> ${maintenanceReason ?? ''}</p>` : ''}
    ${error === null ? '' : html`<p class="error">${error}</p>`}
  </div>`;
}

function actionForm(machine: Machine): Markup {
  const fitting = fittingActions(machine);
  const name = labelOf(machine);
  return html`<form method="post" action="/ui/actions" class="actions">
      <input type="hidden" name="node" value="${machine.uuid}" />
      ${fitting.map(
        (each) =>
          html`<button
            name="action"
            value="${each}"
            class="${actions[each]?.loses === undefined ? '' : 'losing'}"
          >
            ${actions[each]?.label}${actions[each]?.loses === undefined ? '' : '...'}
          </button> `,
      )}
    </form>
    <details id="commands">
      <summary>As command lines</summary>
      <pre tabindex="0">${fitting.map((each) => `${actions[each]?.command} ${name}`).join('\n')}</pre>
    </details>`;
}

const historyList = (history: readonly NodeHistory[]): Markup =>
  html`<ul class="entries">
    ${history.map(
      ({ created_at, severity, event, user }) =>
        html`<li>
          ${timeOf(created_at)} ${severity === 'ERROR' ? html`<strong class="failed">failed</strong>` : ''}
          ${event} ${user === null ? '' : html`<small>${user}</small>`}
        </li>`,
    )}
  </ul>`;

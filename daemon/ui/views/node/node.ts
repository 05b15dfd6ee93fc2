// The view Node: what is wrong with a machine, what can be done, and the tabs with everything that is known of it.
import type { JsonObject } from '../../../model/json.ts';
import type { NodeHistory } from '../../../model/records/node-history.ts';
import { actions, fittingActions } from '../../actions/actions.ts';
import { labelOf, type Machine } from '../../read/machines.ts';
import { durationText, html, type Markup, timeOf } from '../markup.ts';
import { stateMark } from '../state.ts';

export const TABS = [
  ['', 'Timeline'],
  ['inventory', 'Inventory'],
  ['steps', 'Steps'],
  ['history', 'History'],
  ['logs', 'Logs'],
  ['console', 'Console'],
  ['sensors', 'Sensors'],
  ['indicators', 'Indicators'],
  ['record', 'Record'],
] as const;
export type TabName = (typeof TABS)[number][0];

export interface NodePage {
  readonly machine: Machine;
  /** The node as the API shows it. */
  readonly record: JsonObject;
  /** Manufacturer, product name and serial number from the last inspection; undefined before the first. */
  readonly vendor: JsonObject | undefined;
  readonly macs: readonly string[];
  readonly tab: TabName;
  readonly body: Markup;
  /** The number of seconds after which the tab is fetched again, if it changes without an event. */
  readonly every?: number | undefined;
}

export function nodeView(page: NodePage): Markup {
  const { machine, tab, body, every } = page;
  const { uuid } = machine;
  return html`<h1>${labelOf(machine)}</h1>
    <div id="facts" data-live>${facts(page)}${trouble(machine)}</div>
    <div id="actions" data-live>${actionForms(machine)}</div>
    <nav class="tabs" aria-label="Parts of this page">
      ${TABS.map(
        ([name, label]) =>
          html`<a
            href="/ui/nodes/${uuid}${name === '' ? '' : `/${name}`}"
            ${name === tab ? html`aria-current="page"` : ''}
            >${label}</a
          > `,
      )}
    </nav>
    <section id="tab" data-live ${every === undefined ? '' : html`data-every="${every}"`}>${body}</section>`;
}

function facts({ machine, record, vendor, macs }: NodePage): Markup {
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
    ${quarantined ? html`<p><strong>Quarantined.</strong> Until you release the node, the daemon does not touch its BMC.</p>` : ''}
    ${maintenance ? html`<p><strong>In maintenance.</strong> ${maintenanceReason ?? ''}</p>` : ''}
    ${error === null ? '' : html`<p class="error">${error}</p>`}
  </div>`;
}

function actionForms(machine: Machine): Markup {
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
      <pre tabindex="0">${fitting.map((each) => actions[each]?.command(name)).join('\n')}</pre>
    </details>
    <a href="/ui/nodes/${machine.uuid}/bundle" download>Download all that is known, to ask for help</a>`;
}

export const historyTab = (history: readonly NodeHistory[]): Markup =>
  html`<h2>History</h2>
    ${
      history.length === 0
        ? html`<p>There is no entry yet.</p>`
        : html`<ul class="entries">
            ${history.map(
              ({ created_at, severity, event, user, state, duration_seconds: seconds }) =>
                html`<li>
                  ${timeOf(created_at)}
                  ${severity === 'ERROR' ? html`<strong class="failed">failed</strong>` : ''} ${event}
                  <small
                    >${state}${seconds === null ? '' : ` for ${durationText(seconds)}`}${user === null ? '' : `, ${user}`}</small
                  >
                </li>`,
            )}
          </ul>`
    }`;

// The view Rack: every machine with its state and power, in its rack. The visitor can search machines, choose some and act on
// them.
import { actions } from '../actions/actions.ts';
import { labelOf, type Machine } from '../read/machines.ts';
import { html, type Markup, plural } from './markup.ts';
import { lookOf, stateMark } from './state.ts';

export interface RackFilter {
  readonly query: string;
  readonly state: string;
  readonly onlyProblems: boolean;
}

export function rackView(all: readonly Machine[], shown: readonly Machine[], filter: RackFilter): Markup {
  const racks = Map.groupBy(shown, ({ rack }) => rack);
  return html`<h1>Rack</h1>
    ${counts(all, filter)} ${shown.length === 0 ? nothing(all.length, filter) : ''}
    <form id="rack" method="post" action="/ui/actions">
      ${[...racks].map(([rack, machines], index) => rackTable(rack, machines, index))}
      ${shown.length === 0 ? '' : chooser()}
    </form>`;
}

const nothing = (count: number, { query }: RackFilter): Markup =>
  count === 0
    ? html`<p>
        There is no machine yet. <code>baremetal node create --driver ipmi --name NAME ...</code> enrols one.
      </p>`
    : html`<p>
        No machine fits${query === '' ? '' : html` “${query}”`}. <a href="/ui/">Show all machines</a>
      </p>`;

function counts(all: readonly Machine[], { state }: RackFilter): Markup {
  const states = [...Map.groupBy(all, (machine) => machine.state)];
  return html`<p id="counts" class="counts" data-live>
    <a href="/ui/">${plural(all.length, 'machine')}</a>
    ${states.map(
      ([name, machines]) =>
        html`<a
          href="/ui/?state=${encodeURIComponent(name)}"
          ${name === state ? html`aria-current="true"` : ''}
          >${machines.length} ${stateMark(name)}</a
        > `,
    )}
  </p>`;
}

function rackTable(rack: string, machines: readonly Machine[], index: number): Markup {
  return html`<section aria-labelledby="rack-${index}">
    <h2 id="rack-${index}">${rack} <small>${plural(machines.length, 'machine')}</small></h2>
    <table class="rack">
      <thead>
        <tr>
          <th scope="col"><span class="hidden">Choose</span></th>
          <th scope="col">Unit</th>
          <th scope="col">Machine</th>
          <th scope="col">State</th>
          <th scope="col">Power</th>
          <th scope="col">Remarks</th>
        </tr>
      </thead>
      <tbody>
        ${machines.map(machineRow)}
      </tbody>
    </table>
  </section>`;
}

export function machineRow(machine: Machine): Markup {
  const { uuid, unit, state, power, locked } = machine;
  const label = labelOf(machine);
  return html`<tr id="node-${uuid}" class="${lookOf(state)}" data-live>
    <td><input type="checkbox" name="node" value="${uuid}" aria-label="Choose ${label}" /></td>
    <td>${unit ?? ''}</td>
    <th scope="row"><a href="/ui/nodes/${uuid}">${label}</a></th>
    <td>${stateMark(state)}${locked ? html` <small>working</small>` : ''}</td>
    <td>${power?.replace('power ', '') ?? 'unknown'}</td>
    <td>${remarks(machine)}</td>
  </tr>`;
}

const LONGEST = 160;

function remarks(machine: Machine): Markup {
  const { quarantined, maintenance, maintenanceReason, error, step, unhealthy } = machine;
  return html`${quarantined ? html`<strong>quarantined</strong> ` : ''}${
    maintenance && !quarantined ? html`<strong>maintenance</strong> ${maintenanceReason ?? ''} ` : ''
  }${step === null ? '' : html`${step} `}${
    unhealthy.length === 0 ? '' : html`<span class="failed">! ${unhealthy.join(', ')}</span> `
  }${error === null ? '' : shortened(error)}`;
}

const shortened = (text: string): Markup =>
  html`<span class="error" title="${text}"
    >${text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text}</span
  >`;

const chooser = (): Markup =>
  html`<div class="bar">
    <label
      >With the chosen machines:
      <select name="action" required>
        <option value="">choose an action</option>
        ${Object.entries(actions).map(([name, { label }]) => html`<option value="${name}">${label}</option>`)}
      </select>
    </label>
    <button>Go</button>
    <span id="chosen" role="status"></span>
  </div>`;

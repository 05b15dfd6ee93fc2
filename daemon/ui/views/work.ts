// The view Work: what runs or waits, with its age and the last sign of the machine, and what failed within a day.
import { labelOf } from '../read/machines.ts';
import type { RunningTask, Work } from '../read/tasks.ts';
import { eventsOf } from '../../model/states/provision-states.ts';
import { durationText, html, type Markup, timeOf } from './markup.ts';
import { stateMark } from './state.ts';

export const workView = ({ busy, size, running, failed }: Work): Markup =>
  html`<h1>Work</h1>
    <section id="work" data-live data-every="10">
      <p>
        <label
          >Workers <meter min="0" max="${size}" high="${Math.floor(size * 0.9)}" value="${busy}"></meter
        ></label>
        ${busy} of ${size} are busy
      </p>
      <h2>Running and waiting</h2>
      ${running.length === 0 ? html`<p>Nothing runs.</p>` : tasks(running)}
      <h2>Failed within 24 hours</h2>
      ${failed.length === 0 ? html`<p>Nothing failed.</p>` : tasks(failed)}
    </section>`;

const tasks = (all: readonly RunningTask[]): Markup =>
  html`<table>
    <thead>
      <tr>
        <th scope="col">Machine</th>
        <th scope="col">State</th>
        <th scope="col">For</th>
        <th scope="col">Step, or what failed</th>
        <th scope="col">Last seen</th>
        <th scope="col"><span class="hidden">Actions</span></th>
      </tr>
    </thead>
    <tbody>
      ${all.map(taskRow)}
    </tbody>
  </table>`;

function taskRow({ machine, age, lastSeen }: RunningTask): Markup {
  const { uuid, state, step, error } = machine;
  return html`<tr>
    <th scope="row"><a href="/ui/nodes/${uuid}">${labelOf(machine)}</a></th>
    <td>${stateMark(state)}</td>
    <td>${age === null ? '' : durationText(age)}</td>
    <td>${step ?? ''} ${error ?? ''}</td>
    <td>
      ${lastSeen === undefined ? 'nothing' : html`${timeOf(lastSeen.at)} ${lastSeen.hop}: ${lastSeen.text}`}
    </td>
    <td>${eventsOf(state).includes('abort') ? abortButton(uuid, labelOf(machine)) : ''}</td>
  </tr>`;
}

const abortButton = (uuid: string, label: string): Markup =>
  html`<form method="post" action="/ui/actions">
    <input type="hidden" name="node" value="${uuid}" />
    <button name="action" value="abort" aria-label="Abort the work on ${label}">abort</button>
  </form>`;

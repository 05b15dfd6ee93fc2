// The view Work: what runs or waits, how its age compares with the usual time, the last sign of the machine, and what failed
// within a day.
import { eventsOf } from '../../model/states/provision-states.ts';
import { labelOf } from '../read/machines.ts';
import type { RunningTask, Work } from '../read/tasks.ts';
import { actionForm } from './forms.ts';
import { durationText, html, type Markup, plural, timeOf } from './markup.ts';
import { stateMark } from './state.ts';

export function workView({ busy, size, running, failed }: Work): Markup {
  const late = running.filter((task) => task.late).length;
  return html`<h1>Work</h1>
    <section id="work" data-live data-every="10">
      <p>
        <label
          >Workers <meter min="0" max="${size}" high="${Math.floor(size * 0.9)}" value="${busy}"></meter
        ></label>
        ${busy} of ${size} are busy.
        ${late === 0 ? '' : html`<strong class="failed">${plural(late, 'task')} late.</strong>`}
      </p>
      <h2>Running and waiting</h2>
      ${running.length === 0 ? html`<p>Nothing runs.</p>` : tasks(running)}
      <h2>Failed within 24 hours</h2>
      ${failed.length === 0 ? html`<p>Nothing failed.</p>` : tasks(failed)}
    </section>`;
}

const tasks = (all: readonly RunningTask[]): Markup =>
  html`<table class="tasks">
    <thead>
      <tr>
        <th scope="col">Machine</th>
        <th scope="col">State</th>
        <th scope="col">Work, or what failed</th>
        <th scope="col">For</th>
        <th scope="col">Last seen</th>
        <th scope="col"><span class="hidden">Actions</span></th>
      </tr>
    </thead>
    <tbody>
      ${all.map(taskRow)}
    </tbody>
  </table>`;

function taskRow(task: RunningTask): Markup {
  const { machine, work, lastSeen } = task;
  const { uuid, state, error } = machine;
  return html`<tr>
    <th scope="row"><a href="/ui/nodes/${uuid}">${labelOf(machine)}</a></th>
    <td>${stateMark(state)}</td>
    <td>${error ?? (work === state ? '' : work)}</td>
    <td>${ageAgainstUsual(task)}</td>
    <td>
      ${lastSeen === undefined ? 'nothing' : html`${timeOf(lastSeen.at)} ${lastSeen.hop}: ${lastSeen.text}`}
    </td>
    <td>
      ${
        eventsOf(state).includes('abort')
          ? actionForm(uuid, 'abort', { label: 'abort', about: `Abort the work on ${labelOf(machine)}` })
          : ''
      }
    </td>
  </tr>`;
}

/** Shows a text such as `12 min, usually 25 min`, with a bar; only the age if the usual time is not known. */
export function ageAgainstUsual({ age, usual, late }: Pick<RunningTask, 'age' | 'usual' | 'late'>): Markup {
  if (age === null) return html``;
  if (usual === undefined) return html`${durationText(age)}`;
  return html`<progress
      max="${Math.max(1, usual).toFixed()}"
      value="${Math.min(age, Math.max(1, usual)).toFixed()}"
      aria-label="How much of the usual time has passed"
    ></progress>
    ${durationText(age)}, usually ${durationText(usual)}
    ${late ? html`<strong class="failed">LATE</strong>` : ''}`;
}

// The steps of a machine: the plan in progress, and how long earlier work took.
import type { WorkTime } from '../../../db/tables/work-times.ts';
import type { RunningTask } from '../../read/tasks.ts';
import { durationText, html, type Markup, timeOf } from '../markup.ts';
import { ageAgainstUsual } from '../work.ts';

export interface PlannedStepShown {
  /** The phase and the step: `clean deploy.erase_devices`. */
  readonly name: string;
  readonly place: 'done' | 'running' | 'next';
  /** How many seconds the step usually takes; undefined where too little is known. */
  readonly usual: number | undefined;
}

export interface Steps {
  readonly plan: readonly PlannedStepShown[];
  /** The age and the usual time of the running step, and whether the step is late. */
  readonly current: Pick<RunningTask, 'age' | 'usual' | 'late'>;
  readonly earlier: readonly WorkTime[];
  readonly usualOf: (work: string) => number | undefined;
}

export const stepsTab = ({ plan, current, earlier, usualOf }: Steps): Markup =>
  html`<h2>Steps</h2>
    ${
      plan.length === 0
        ? html`<p>No step is planned.</p>`
        : html`<ol class="entries">
            ${plan.map((step) => html`<li>${plannedStep(step, current)}</li>`)}
          </ol>`
    }
    <h2>Earlier work</h2>
    ${earlier.length === 0 ? html`<p>No work has ended yet.</p>` : earlierWork(earlier, usualOf)}`;

const plannedStep = ({ name, place, usual }: PlannedStepShown, current: Steps['current']): Markup =>
  html`<strong>${name}</strong> ${place === 'running' ? html`runs ${ageAgainstUsual(current)}` : place}
    ${place === 'next' && usual !== undefined ? html`<small>usually ${durationText(usual)}</small>` : ''}`;

const earlierWork = (earlier: readonly WorkTime[], usualOf: Steps['usualOf']): Markup =>
  html`<table>
    <thead>
      <tr>
        <th scope="col">Ended (UTC)</th>
        <th scope="col">Work</th>
        <th scope="col">Took</th>
        <th scope="col">Usually</th>
      </tr>
    </thead>
    <tbody>
      ${earlier.map(({ work, ended_at, seconds }) => {
        const usual = usualOf(work);
        return html`<tr>
          <td>${timeOf(ended_at)}</td>
          <th scope="row">${work}</th>
          <td>${durationText(seconds)}</td>
          <td>${usual === undefined ? '' : durationText(usual)}</td>
        </tr>`;
      })}
    </tbody>
  </table>`;

// The tab Work of a machine: the plan in progress, the entries of its history, and how long earlier work took.
import type { WorkTime } from '../../../db/tables/work-times.ts';
import type { NodeHistory } from '../../../model/records/node-history.ts';
import type { PlannedStepShown, Steps } from '../../read/node-tabs.ts';
import { durationText, html, type Markup, timeOf } from '../../kit/markup.ts';
import { toneMark } from '../../kit/state.ts';
import { card } from '../../kit/surfaces.ts';
import { table } from '../../kit/table.ts';
import { ageAgainstUsual } from '../work.ts';

export const workTab = (steps: Steps, history: readonly NodeHistory[]): Markup =>
  html`<div class="stack">
    ${card({
      title: 'Steps',
      body:
        steps.plan.length === 0
          ? html`<p>No step is planned.</p>`
          : html`<ol class="steps">
              ${steps.plan.map((step) => plannedStep(step, steps.current))}
            </ol>`,
    })}
    ${card({ title: 'History', flush: true, body: historyTable(history) })}
    ${card({ title: 'Earlier work', flush: true, body: earlierWork(steps.earlier, steps.usualOf) })}
  </div>`;

const PLACES = {
  done: toneMark('good', 'done'),
  running: toneMark('working', 'runs'),
  next: toneMark('idle', 'next'),
} as const;

const plannedStep = ({ name, place, usual }: PlannedStepShown, current: Steps['current']): Markup =>
  html`<li>
    <span><strong>${name}</strong> ${PLACES[place]}</span>
    <span class="aside"
      >${place === 'running' ? ageAgainstUsual(current) : usual === undefined || place === 'done' ? '' : `usually ${durationText(usual)}`}</span
    >
  </li>`;

const NOTHING = html`<p class="nothing">There is no entry yet.</p>`;

const historyTable = (history: readonly NodeHistory[]): Markup =>
  history.length === 0
    ? NOTHING
    : table({
        about: 'The history of the machine',
        rows: history,
        columns: [
          { title: 'Time (UTC)', look: 'soft', cell: ({ created_at: at }) => timeOf(at) },
          {
            title: 'What happened',
            look: 'wide',
            cell: ({ severity, event }) =>
              html`${severity === 'ERROR' ? toneMark('broken', 'failed') : ''} ${event}`,
          },
          {
            title: 'State',
            look: 'soft',
            cell: ({ state, duration_seconds: seconds }) =>
              `${state ?? ''}${seconds === null ? '' : ` for ${durationText(seconds)}`}`,
          },
          { title: 'User', look: 'soft', cell: ({ user }) => user ?? '' },
        ],
      });

const earlierWork = (earlier: readonly WorkTime[], usualOf: Steps['usualOf']): Markup =>
  earlier.length === 0
    ? html`<p class="nothing">No work has ended yet.</p>`
    : table({
        about: 'How long earlier work took',
        rows: earlier,
        columns: [
          { title: 'Ended (UTC)', look: 'soft', cell: ({ ended_at: at }) => timeOf(at) },
          { title: 'Work', isName: true, cell: ({ work }) => work },
          { title: 'Took', look: 'number', cell: ({ seconds }) => durationText(seconds) },
          {
            title: 'Usually',
            look: 'number',
            cell: ({ work }) => {
              const usual = usualOf(work);
              return usual === undefined ? '' : durationText(usual);
            },
          },
        ],
      });

// The view Work: what runs or waits, how its age compares with the usual time, the last sign of the machine, and what failed
// within a day.
import { eventsOf } from '../../model/states/provision-states.ts';
import { labelOf } from '../read/machines.ts';
import type { RunningTask, RunningWork } from '../read/tasks.ts';
import { actionForm } from './forms.ts';
import { durationText, html, type Markup, plural, timeAgo } from '../kit/markup.ts';
import { stateMark } from '../kit/state.ts';
import { badge, card, emptyState, pageHead, progressBar } from '../kit/surfaces.ts';
import { type Column, table } from '../kit/table.ts';

export interface WorkPage extends RunningWork {
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export function workView({ busy, size, running, failed, now }: WorkPage): Markup {
  const late = running.filter((task) => task.late).length;
  return html`${pageHead('Work', { lead: 'What the daemon does on machines, and what it waits for' })}
    <div class="stack" id="work" data-live data-every="10">
      ${card({
        title: 'Running and waiting',
        aside: html`${late === 0 ? '' : badge(`${late} late`, 'attention')} ${workersOf(busy, size)}`,
        flush: true,
        body:
          running.length === 0
            ? emptyState({
                icon: 'done',
                title: 'Nothing runs',
                text: 'Each machine that is inspected, cleaned, deployed or serviced is here while the work lasts.',
              })
            : table({ about: 'Running and waiting work', columns: columnsOf(now), rows: running }),
      })}
      ${card({
        title: 'Failed within 24 hours',
        aside: failed.length === 0 ? 'nothing' : plural(failed.length, 'machine'),
        flush: true,
        body:
          failed.length === 0
            ? html`<p class="more">Nothing failed.</p>`
            : table({ about: 'Failed work', columns: failedColumnsOf(now), rows: failed }),
      })}
    </div>`;
}

const workersOf = (busy: number, size: number): Markup =>
  html`<span class="pool"
    ><meter
      min="0"
      max="${size}"
      high="${Math.floor(size * 0.9)}"
      optimum="0"
      value="${busy}"
      aria-label="Busy workers"
    ></meter>
    <span>${busy} of ${size} workers busy</span></span
  >`;

const machineColumn: Column<RunningTask> = {
  title: 'Machine',
  isName: true,
  cell: ({ machine }) => html`<a href="/ui/nodes/${machine.uuid}">${labelOf(machine)}</a>`,
};

const columnsOf = (now: number): readonly Column<RunningTask>[] => [
  machineColumn,
  { title: 'State', cell: ({ machine }) => stateMark(machine.state) },
  {
    title: 'Work',
    look: 'wide',
    cell: ({ machine: { state, step, waitsFor }, work }) =>
      html`${work === state ? (step ?? '') : work}
      ${waitsFor === null ? '' : html`<small>waits for ${waitsFor}</small>`}`,
  },
  { title: 'Progress', cell: ageAgainstUsual },
  seenColumn(now),
  {
    title: 'Actions',
    hidesTitle: true,
    cell: ({ machine }) =>
      eventsOf(machine.state).includes('abort')
        ? actionForm(machine.uuid, 'abort', {
            label: 'abort',
            about: `Abort the work on ${labelOf(machine)}`,
          })
        : html``,
  },
];

const failedColumnsOf = (now: number): readonly Column<RunningTask>[] => [
  machineColumn,
  { title: 'State', cell: ({ machine }) => stateMark(machine.state) },
  { title: 'What failed', look: 'wide', cell: ({ machine }) => machine.error ?? '' },
  {
    title: 'Since',
    look: 'soft',
    cell: ({ age }) => (age === null ? '' : html`<span class="times">${durationText(age)} ago</span>`),
  },
  seenColumn(now),
];

function seenColumn(now: number): Column<RunningTask> {
  return {
    title: 'Last sign of the machine',
    look: 'wide',
    cell: ({ lastSeen }) =>
      lastSeen === undefined
        ? html`<small>nothing was seen yet</small>`
        : html`<span class="${lastSeen.failed ? 'text-broken' : ''}">${lastSeen.hop}: ${lastSeen.text}</span>
            <small>${timeAgo(lastSeen.at, now)}</small>`,
  };
}

/** Shows a text such as `12 min, usually 25 min`, with a bar; only the age if the usual time is not known. */
export function ageAgainstUsual({ age, usual, late }: Pick<RunningTask, 'age' | 'usual' | 'late'>): Markup {
  if (age === null) return html``;
  if (usual === undefined) return html`<span class="times">for ${durationText(age)}</span>`;
  return html`<span class="times"
    >${progressBar('How much of the usual time has passed', { value: age, max: usual })}
    ${durationText(age)}<small>, usually ${durationText(usual)}</small>
    ${late ? badge('late', 'attention') : ''}</span
  >`;
}

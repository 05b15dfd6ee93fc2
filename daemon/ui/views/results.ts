// The page that follows an action on one or many machines: how far each has come, and what became of it.
import type { MachineProgress, OutcomeProgress, ProgressKind } from '../read/results.ts';
import { linkButton } from '../kit/controls.ts';
import { durationText, html, type Markup, plural } from '../kit/markup.ts';
import { stateMark, type Tone, toneMark } from '../kit/state.ts';
import { card, pageHead, progressBar } from '../kit/surfaces.ts';
import { type Column, table } from '../kit/table.ts';

export function resultsView({ action, machines }: OutcomeProgress): Markup {
  const title = `${action.slice(0, 1).toUpperCase()}${action.slice(1)}: ${plural(machines.length, 'machine')}`;
  return html`${pageHead(title, {
      buttons: [linkButton('/ui/work', { label: 'Work' }), linkButton('/ui/', { label: 'Machines' })],
    })}
    <section id="progress" class="stack" data-live data-every="5">
      ${inAll(machines)}
      ${card({ flush: true, body: table({ about: title, columns: COLUMNS, rows: machines }) })}
    </section>`;
}

const ENDED: ReadonlySet<ProgressKind> = new Set(['refused', 'accepted', 'done', 'failed', 'gone']);

/** Machines that are at rest count as one, the others by their steps. */
function inAll(machines: readonly MachineProgress[]): Markup {
  const share = machines.reduce((sum, machine) => sum + shareOf(machine), 0);
  const count = (kind: ProgressKind) => machines.filter((machine) => machine.kind === kind).length;
  const parts: readonly (readonly [number, string])[] = [
    [count('done'), 'done'],
    [count('goes'), 'under way'],
    [count('held'), 'on hold'],
    [count('failed'), 'failed'],
    [count('accepted'), 'accepted'],
    [count('refused'), 'refused'],
    [count('gone'), 'deleted meanwhile'],
  ];
  const left = machines.filter(({ kind }) => kind === 'goes').map((machine) => machine.left);
  const longest =
    left.length === 0 || left.includes(undefined) ? undefined : Math.max(...left.map((each) => each ?? 0));
  return html`<p class="in-all" role="status">
    ${progressBar('All machines', { value: Math.floor((share / Math.max(1, machines.length)) * 100), max: 100 })}
    <span
      >${parts
        .filter(([number]) => number > 0)
        .map(([number, word]) => `${number} ${word}`)
        .join(', ')}${longest === undefined ? '' : `; usually ${durationText(longest)} left`}</span
    >
  </p>`;
}

function shareOf({ kind, step }: MachineProgress): number {
  if (ENDED.has(kind)) return 1;
  return step === undefined ? 0 : (step.number - 1) / step.of;
}

const TONES: Readonly<Record<ProgressKind, Tone>> = {
  refused: 'broken',
  accepted: 'good',
  goes: 'working',
  held: 'attention',
  done: 'good',
  failed: 'broken',
  gone: 'idle',
};
const WORDS: Readonly<Record<ProgressKind, string>> = {
  refused: 'refused',
  accepted: 'accepted',
  goes: 'under way',
  held: 'on hold',
  done: 'done',
  failed: 'failed',
  gone: 'deleted',
};

const COLUMNS: readonly Column<MachineProgress>[] = [
  {
    title: 'Machine',
    isName: true,
    cell: ({ node, label }) => html`<a href="/ui/nodes/${node}">${label}</a>`,
  },
  { title: 'Request', cell: ({ kind }) => toneMark(TONES[kind], WORDS[kind]) },
  { title: 'State', cell: ({ state }) => (state === undefined ? '' : stateMark(state)) },
  { title: 'Step', cell: stepCell },
  { title: 'Left', cell: ({ left }) => (left === undefined ? '' : `about ${durationText(left)}`) },
  { title: 'Remarks', look: 'wide', cell: remarksCell },
];

function stepCell({ step, label }: MachineProgress): Markup {
  if (step === undefined) return html``;
  const { name, number, of } = step;
  return html`${progressBar(`Steps of ${label}`, { value: number - 1, max: of })} ${number} of ${of}
    <small>${name}</small>`;
}

function remarksCell({ node, reason, waitsFor, kind }: MachineProgress): Markup {
  if (reason !== null)
    return html`<span class="text-broken">${reason}</span> ${
        kind === 'failed' ? html`<a href="/ui/nodes/${node}/work">what happened</a>` : ''
      }`;
  return waitsFor === null ? html`` : html`<small>waits for ${waitsFor}</small>`;
}

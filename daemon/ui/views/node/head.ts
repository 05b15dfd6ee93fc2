// The head of a machine's page: its name and state, how far the work on it is, the next sensible action as the one primary button,
// and the others in menus; below, what is wrong and what to do.
import type { JsonObject } from '../../../model/json.ts';
import { actions, fittingActions } from '../../actions/actions.ts';
import type { TabName } from './tab-names.ts';
import { nextAction } from '../../actions/next-action.ts';
import { button, linkButton, menu } from '../../kit/controls.ts';
import { icon } from '../../kit/icon.ts';
import { durationText, html, type Markup, timeOf } from '../../kit/markup.ts';
import { stateMark } from '../../kit/state.ts';
import { badge, notice, pageHead, progressBar } from '../../kit/surfaces.ts';
import { labelOf, type ShownMachine } from '../../read/machines.ts';
import type { WorkProgress } from '../../read/node/progress.ts';

export interface HeadParts {
  readonly machine: ShownMachine;
  readonly progress: WorkProgress | undefined;
  /** Whether an inspection has stored what the machine is made of. */
  readonly isInspected: boolean;
  /** The node as the API shows it. */
  readonly record: JsonObject;
  readonly tab: TabName;
}

export function machineHead(parts: HeadParts): Markup {
  const { machine, progress } = parts;
  const lead = html`${stateMark(machine.state)}
  ${progress === undefined ? sinceText(machine) : progressText(progress)}`;
  return html`<div id="machine-head" data-live>
    ${pageHead(labelOf(machine), { lead, buttons: headButtons(parts) })}
    ${progress === undefined ? '' : html`<p class="wait">${waitOf(parts.record)}</p>`} ${troubles(machine)}
  </div>`;
}

const sinceText = ({ since, power }: ShownMachine): Markup =>
  html`<small
    >${since === null ? '' : html`since ${timeOf(since)} UTC · `}${power ?? 'power unknown'}</small
  >`;

function progressText({ work, step, age, done, isLate }: WorkProgress): Markup {
  const bar =
    done === null
      ? step && progressBar('Steps', { value: step.number - 1, max: step.of })
      : progressBar('Progress, by usual times', { value: done.seconds, max: done.of });
  const texts = [
    work,
    step === null ? '' : `step ${step.number} of ${step.of}`,
    done === null ? '' : leftText(done.of - done.seconds),
    age === null ? '' : `for ${durationText(age)}`,
  ];
  return html`${bar ?? ''}
    <small>${texts.filter((text) => text !== '').join(' · ')}</small>
    ${isLate ? badge('late', 'attention') : ''}`;
}

const leftText = (seconds: number): string =>
  seconds < 1 ? 'should end now' : `about ${durationText(seconds)} left`;

const POWER = new Set(['power-on', 'power-off', 'soft-power-off', 'reboot', 'boot-pxe']);

function headButtons({ machine, isInspected, tab }: HeadParts): readonly Markup[] {
  const { uuid } = machine;
  const fitting = fittingActions(machine);
  const next = nextAction(machine, isInspected);
  const others = fitting.filter((name) => name !== next);
  const [power, more] = [others.filter((name) => POWER.has(name)), others.filter((name) => !POWER.has(name))];
  const name = labelOf(machine);
  return [
    ...(power.length === 0
      ? []
      : [menu('menu-power', { label: 'Power', icon: 'power', items: [actionItems(uuid, power)] })]),
    menu('menu-more', {
      label: 'More',
      items: [
        actionItems(uuid, more),
        html`<hr />
          <a href="/ui/nodes/${uuid}/indicators">${icon('bolt')} Lamps</a>
          <a href="/ui/nodes/${uuid}/report">${icon('file')} All on one page, to print</a>
          <a href="/ui/nodes/${uuid}/bundle" download>${icon('download')} Download all that is known</a>
          <details id="commands">
            <summary class="item">As command lines</summary>
            <pre tabindex="0">${fitting.map((each) => actions[each]?.command(name)).join('\n')}</pre>
          </details>`,
      ],
    }),
    ...(next === undefined ? consoleLink(uuid, tab) : [actionButton(uuid, next)]),
  ];
}

const consoleLink = (node: string, tab: TabName): readonly Markup[] =>
  tab === 'console'
    ? []
    : [linkButton(`/ui/nodes/${node}/console`, { label: 'Open console', look: 'primary', icon: 'console' })];

const labelOfAction = (name: string): string => {
  const { label = name, loses } = actions[name] ?? {};
  return `${label}${loses === undefined ? '' : '...'}`;
};

const actionButton = (node: string, name: string): Markup =>
  html`<form method="post" action="/ui/actions">
    <input type="hidden" name="node" value="${node}" />
    ${button({ label: labelOfAction(name), name: 'action', value: name, look: 'primary' })}
  </form>`;

const actionItems = (node: string, names: readonly string[]): Markup =>
  html`<form method="post" action="/ui/actions">
    <input type="hidden" name="node" value="${node}" />
    ${names.map(
      (name) =>
        html`<button
          name="action"
          value="${name}"
          class="${actions[name]?.loses === undefined ? '' : 'losing'}"
        >
          ${labelOfAction(name)}
        </button>`,
    )}
  </form>`;

/** What is wrong. */
function troubles({ error, maintenance, maintenanceReason, quarantined }: ShownMachine): Markup | string {
  if (error === null && !maintenance && !quarantined) return '';
  return html`<div class="stack">
    ${quarantined ? notice('attention', html`<strong>Quarantined.</strong> Until you release the machine, the daemon does not touch its BMC.`) : ''}
    ${maintenance ? notice('attention', html`<strong>In maintenance.</strong> ${maintenanceReason ?? ''}`) : ''}
    ${error === null ? '' : notice('broken', html`<p class="error">${error}</p>`)}
  </div>`;
}

/** Empty while there is nothing to wait for: the line keeps its place as long as the work goes on. */
function waitOf({ wait }: JsonObject): Markup | string {
  const { reason, since, until } = (wait ?? {}) as JsonObject;
  if (typeof reason !== 'string') return '';
  return html`Waits for ${reason}, since
  ${timeOf(textIn(since))}${typeof until === 'string' ? html`, until ${timeOf(until)} at the latest` : ''}`;
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

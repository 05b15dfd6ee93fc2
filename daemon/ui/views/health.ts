// The view Health: the checks of the daemon and what the doctor found, failing ones first, each with what mends it.
import type { Examination } from '../../model/doctor/doctor-finding.ts';
import type { HealthCheck } from '../read/health.ts';
import { labelOf, type ShownMachine } from '../read/machines.ts';
import { actions, fittingActions } from '../actions/actions.ts';
import { wellIn } from '../read/site/examination.ts';
import { command } from '../kit/command.ts';
import { button, linkButton } from '../kit/controls.ts';
import { html, type Markup, plural, timeAgo } from '../kit/markup.ts';
import { toneShape, type Tone, toneMark } from '../kit/state.ts';
import { card, notice, pageHead } from '../kit/surfaces.ts';
import { actionForm } from './forms.ts';

export interface HealthPage {
  readonly checks: readonly HealthCheck[];
  /** The last run of the doctor, and whether one is under way. */
  readonly examination: Examination | undefined;
  readonly isRunning: boolean;
  /** The machines that checks are about, by UUID. */
  readonly machines: ReadonlyMap<string, ShownMachine>;
  /** How many items of the view Setup are open. */
  readonly open: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const FIRST_SHOWN = 3;
const MOST_SHOWN = 100;
const SECONDS = { running: 3, otherwise: 15 } as const;

export function healthView(page: HealthPage): Markup {
  const { checks, open, isRunning } = page;
  const failing = checks.filter(({ ok }) => ok === false);
  const group = (title: string, wanted: HealthCheck['ok'], tone: Tone) =>
    groupCard(page, { title, tone, found: checks.filter(({ ok }) => ok === wanted) });
  return html`${pageHead('Health', {
      lead: html`<span id="failing" data-live
        >${failing.length === 0 ? 'No check fails' : `${plural(failing.length, 'check')} failing`}</span
      >`,
      buttons: [
        html`<form method="post" action="/ui/health/examine">
          ${button({ label: 'Check again', icon: 'refresh' })}
        </form>`,
      ],
    })}
    <div class="stack" id="health" data-live data-every="${isRunning ? SECONDS.running : SECONDS.otherwise}">
      ${
        open === 0
          ? ''
          : notice(
              'working',
              html`${plural(open, 'step')} of the set-up still open.
                <a href="/ui/setup">Show the checklist</a>`,
            )
      }
      ${group('Failing', false, 'broken')} ${group('May become a problem', 'advice', 'attention')}
      ${group('Could not be checked', 'unknown', 'idle')} ${wellCard(page)}
    </div>`;
}

interface Group {
  readonly title: string;
  readonly tone: Tone;
  readonly found: readonly HealthCheck[];
}

function groupCard({ machines }: HealthPage, { title, tone, found }: Group): Markup {
  if (found.length === 0) return html``;
  return card({
    title,
    aside: String(found.length),
    flush: true,
    body: html`${[...Map.groupBy(found, ({ name }) => name)].map(([name, alike]) => alikePart(name, alike, { tone, machines }))}`,
  });
}

/** Checks of one name: a few of them at once, the others when the visitor asks. */
function alikePart(
  name: string,
  alike: readonly HealthCheck[],
  { tone, machines }: Pick<Group, 'tone'> & Pick<HealthPage, 'machines'>,
): Markup {
  const list = (checks: readonly HealthCheck[]) =>
    html`<ul class="findings">
      ${checks.map((check) => entry(check, tone, machines.get(check.node ?? '')))}
    </ul>`;
  const others = alike.slice(FIRST_SHOWN, MOST_SHOWN);
  const left = alike.length - MOST_SHOWN;
  return html`${list(alike.slice(0, FIRST_SHOWN))}
  ${
    others.length === 0
      ? ''
      : html`<details id="more-${tone}-${name}">
          <summary>${alike.length - FIRST_SHOWN} more of ${name}</summary>
          ${list(others)}
          ${left > 0 ? html`<p class="more">${left} more: <code>ironic-edge doctor</code></p>` : ''}
        </details>`
  }`;
}

const entry = (check: HealthCheck, tone: Tone, machine: ShownMachine | undefined): Markup =>
  html`<li class="${tone}">
    ${toneShape(tone)}
    <div>
      <small>${check.name}</small>
      <h3>${check.detail}</h3>
      ${check.means === undefined ? '' : html`<p>${check.means}</p>`}
      ${check.fix === undefined ? '' : command(check.fix)}
    </div>
    <div class="buttons">${mends(check, machine)}</div>
  </li>`;

/** The actions that may mend what a probe of the doctor found at a machine. */
const MENDING: Readonly<Record<string, readonly string[]>> = {
  'late-work': ['abort'],
  'failed-nodes': ['manage', 'unrescue'],
  'faulty-nodes': ['maintenance-off'],
};

function mends({ name, href, plugin }: HealthCheck, machine: ShownMachine | undefined): Markup {
  const fitting = machine === undefined ? [] : fittingActions(machine);
  const offered = (MENDING[name] ?? []).filter((action) => fitting.includes(action));
  return html`${offered.map((action) => {
    const { label = action, loses } = actions[action] ?? {};
    const shown = loses === undefined ? label : `${label}...`;
    return actionForm(machine?.uuid ?? '', action, {
      label: shown,
      about: `${label} ${machine === undefined ? '' : labelOf(machine)}`,
    });
  })}
  ${
    plugin === undefined
      ? ''
      : html`<form method="post" action="/ui/health/reload-plugin">
          ${button({ label: 'Load again', name: 'plugin', value: plugin, about: `Load the plugin ${plugin} again` })}
        </form>`
  }
  ${machine === undefined ? '' : html`<a href="/ui/nodes/${machine.uuid}">${labelOf(machine)}</a>`}
  ${href === undefined ? '' : linkButton(href, { label: 'Show', look: 'quiet', icon: 'arrow' })}`;
}

function wellCard({ checks, examination, isRunning, now }: HealthPage): Markup {
  const well = wellIn(examination);
  return card({
    title: 'Well',
    aside: ageOf(examination, isRunning, now),
    flush: true,
    body: html`<table class="cards">
        <caption class="hidden">
          Checks of the daemon
        </caption>
        <tbody>
          ${checks
            .filter(({ ok }) => ok === true || ok === undefined)
            .map(
              ({ name, ok, detail }) =>
                html`<tr>
                  <td class="mark">
                    ${ok === true ? toneMark('good', 'ok') : toneMark('idle', 'not tried')}
                  </td>
                  <th scope="row">${name}</th>
                  <td class="wide soft">${detail}</td>
                </tr>`,
            )}
        </tbody>
      </table>
      ${
        well.length === 0
          ? ''
          : html`<details id="probes">
              <summary>${plural(well.length, 'probe')} of the doctor found nothing</summary>
              <ul>
                ${well.map((about) => html`<li>${about}</li>`)}
              </ul>
            </details>`
      }`,
    footer: html`<small
      ><code>sudo ironic-edge doctor</code> also looks at what only root may see, and at networks where the
      daemon does not search for other DHCP servers.</small
    >`,
  });
}

function ageOf(examination: Examination | undefined, isRunning: boolean, now: number): Markup {
  if (isRunning) return html`the doctor is looking`;
  if (examination === undefined) return html`the doctor has not run yet`;
  return html`the doctor looked ${timeAgo(new Date(examination.at).toISOString(), now)}`;
}

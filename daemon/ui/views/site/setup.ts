// The view Setup: the checklist of a new site.
import { openIn, type SetupItem } from '../../read/site/setup.ts';
import { command } from '../../kit/command.ts';
import { linkButton } from '../../kit/controls.ts';
import { html, type Markup } from '../../kit/markup.ts';
import { type Tone, toneMark } from '../../kit/state.ts';
import { card, notice, pageHead, progressBar } from '../../kit/surfaces.ts';

const MARKS: Readonly<Record<SetupItem['state'], readonly [Tone, string]>> = {
  done: ['good', 'done'],
  open: ['attention', 'open'],
  unknown: ['idle', 'not checked'],
};

export function setupView(items: readonly SetupItem[]): Markup {
  const open = openIn(items).length;
  const done = items.filter(({ state }) => state === 'done').length;
  return html`${pageHead('Setup', { lead: 'From a bare host to running machines' })}
    <div class="stack" id="setup" data-live data-every="15">
      ${open === 0 ? notice('good', 'Nothing that a site needs is open.') : ''}
      ${card({
        title: 'Checklist',
        aside: html`${progressBar('Steps done', { value: done, max: items.length })} ${done} of
        ${items.length}`,
        flush: true,
        body: html`<ul class="checklist">
          ${items.map(itemEntry)}
        </ul>`,
        footer: html`<p>
            One command does most of it, asks five questions, and shows what it would change first:
          </p>
          ${command('sudo ironic-edge setup')}`,
      })}
    </div>`;
}

function itemEntry({ title, state, why, isOptional, command: line, link }: SetupItem): Markup {
  const [tone, word] =
    isOptional === true && state === 'open' ? (['idle', 'if wanted'] as const) : MARKS[state];
  return html`<li class="${state}">
    ${toneMark(tone, word)}
    <div>
      <h3>${title}</h3>
      <p>${why}</p>
      ${line === undefined ? '' : command(line)}
    </div>
    <div class="buttons">
      ${link === undefined ? '' : linkButton(link.href, { label: link.label, look: 'quiet', icon: 'arrow' })}
    </div>
  </li>`;
}

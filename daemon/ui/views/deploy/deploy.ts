// The page Deploy: what the instances shall be, and beside it what will happen. deploy.js keeps the parts with data-part current.
import type { DeployForm } from '../../read/deploy/deployment.ts';
import { command } from '../../kit/command.ts';
import { button, linkButton } from '../../kit/controls.ts';
import { inputField } from '../../kit/fields.ts';
import { html, type Markup, plural } from '../../kit/markup.ts';
import { card, notice, pageHead } from '../../kit/surfaces.ts';
import type { PageView } from '../layout.ts';
import { deployFields } from './deploy-form.ts';
import { plansView } from './deploy-plans.ts';

export interface DeployAnswer {
  /** Whether something else was typed than the word that confirms. */
  readonly isWrongWord?: boolean;
  /** Why the API refused the requests; one sentence each. */
  readonly refusals?: readonly string[];
}

export const deployPage = (shown: DeployForm, answer: DeployAnswer = {}): PageView => ({
  title: titleOf(shown),
  body: deployView(shown, answer),
  modules: ['deploy.js', 'copy.js'],
});

const MOST_NAMED = 3;

/** What is done to the machines, such as `Deploy web-1 and web-2`. */
function titleOf({ machines, request }: DeployForm): string {
  const verb = request.verb === 'active' ? 'Deploy' : 'Rebuild';
  const labels = machines.map(({ label }) => label);
  if (labels.length > MOST_NAMED) return `${verb} ${plural(labels.length, 'machine')}`;
  return `${verb} ${[labels.slice(0, -1).join(', '), labels.at(-1)].filter(Boolean).join(' and ')}`;
}

export function deployView(shown: DeployForm, { isWrongWord = false, refusals = [] }: DeployAnswer): Markup {
  const { machines, request } = shown;
  const lead =
    request.verb === 'active'
      ? 'A system is written to the disk and started. Nothing happens before you confirm it.'
      : 'The system on the disk is written again, and started. Nothing happens before you confirm it.';
  return html`${pageHead(titleOf(shown), { lead })}
    <form class="split" id="deploy" method="post" action="/ui/deploy" autocomplete="off">
      ${machines.map(({ node }) => html`<input type="hidden" name="node" value="${node.uuid}" />`)}
      <input type="hidden" name="verb" value="${request.verb}" />
      <div class="stack">
        ${refusals.length === 0 ? '' : notice('broken', listed(refusals), true)}
        ${card({ title: 'Instance', body: deployFields(shown) })} ${commandCard(shown)}
      </div>
      <div class="stack aside">
        ${card({
          title: 'What will happen',
          body: html`<div id="plan" data-part aria-live="polite">${plansView(shown)}</div>`,
          footer: html`<div class="changes stack">
            ${button({ label: 'Show the plan', name: 'do', value: 'plan', icon: 'refresh' })}
            ${confirmation(shown, isWrongWord)}
          </div>`,
        })}
      </div>
    </form>`;
}

const listed = (sentences: readonly string[]): Markup =>
  html`<p>Nothing was changed.</p>
    ${sentences.map((sentence) => html`<p>${sentence}</p>`)}`;

/** The label says what is lost. */
function confirmation({ machines, word, request }: DeployForm, isWrong: boolean): Markup {
  const verb = request.verb === 'active' ? 'Deploy' : 'Rebuild';
  const whose = machines.length === 1 ? 'its disk is' : 'their disks are';
  return html`<div class="stack">
    ${inputField({
      name: 'confirm',
      label: `Type ${word} to confirm that ${whose} overwritten`,
      wrong: isWrong ? `that was not “${word}”` : undefined,
      help: undefined,
    })}
    <div class="buttons">
      ${button({ label: `${verb} ${machines.length === 1 ? word : plural(machines.length, 'machine')}`, name: 'do', value: 'deploy', look: 'primary' })}
      ${linkButton('/ui/', { label: 'Cancel' })}
    </div>
  </div>`;
}

const commandCard = ({ command: text }: DeployForm): Markup =>
  html`<details class="card folded" id="command">
    <summary>As command line</summary>
    <div class="body lines" id="command-text" data-part>${command(text)}</div>
  </details>`;

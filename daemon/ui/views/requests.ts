// The pages that follow a button: the question before an action that loses something, the results, and a refusal.
import type { UiAction } from '../actions/actions.ts';
import type { PageView } from './layout.ts';
import { button, linkButton } from '../kit/controls.ts';
import { icon } from '../kit/icon.ts';
import { html, type Markup, plural } from '../kit/markup.ts';
import { card, notice, pageHead } from '../kit/surfaces.ts';

export interface ShownPlan {
  readonly steps: readonly string[];
  /** Why the API would refuse the request, or the work would fail; one sentence each. */
  readonly problems: readonly string[];
}

export interface Confirmation {
  readonly name: string;
  readonly action: UiAction;
  readonly nodes: readonly { readonly uuid: string; readonly label: string; readonly plan: ShownPlan }[];
  /** What the visitor must type. */
  readonly word: string;
  /** Whether something else was typed before. */
  readonly isWrong: boolean;
}

/** Asks the visitor to type the word. Where no machine could go on, it asks for what is missing instead. */
export function questionView(question: Confirmation): Markup {
  const { name, action, nodes } = question;
  const [only] = nodes;
  const what = nodes.length === 1 && only !== undefined ? only.label : plural(nodes.length, 'machine');
  const isPossible = nodes.some(({ plan }) => plan.problems.length === 0);
  return html`<div class="narrow">
    ${pageHead(`${action.label}: ${what}`)}
    <div class="stack">
      ${notice(action.loses === undefined ? 'working' : 'broken', action.loses ?? '')}
      ${card({
        title: 'What will happen',
        flush: true,
        body: html`<ul class="asked">
          ${nodes.map(askedNode)}
        </ul>`,
      })}
      <form method="post" action="/ui/actions" class="card confirm">
        <input type="hidden" name="action" value="${name}" />
        ${nodes.map(({ uuid }) => html`<input type="hidden" name="node" value="${uuid}" />`)}
        ${
          isPossible
            ? confirmation(question)
            : html`<div class="row">${button({ label: 'Check again', icon: 'refresh' })} ${CANCEL}</div>`
        }
      </form>
    </div>
  </div>`;
}

const CANCEL = linkButton('/ui/', { label: 'Cancel', look: 'quiet' });

function askedNode({ label, plan }: Confirmation['nodes'][number]): Markup {
  const { steps, problems } = plan;
  return html`<li>
    <strong>${label}</strong>
    ${problems.map((problem) => html`<p class="text-broken">${icon('failed')} Not possible yet: ${problem}</p>`)}
    ${
      steps.length === 0
        ? ''
        : html`<ol class="steps">
            ${steps.map((line) => html`<li><span>${line}</span></li>`)}
          </ol>`
    }
  </li>`;
}

const confirmation = ({ action, word, isWrong }: Confirmation): Markup =>
  html`${isWrong ? html`<p class="text-broken" role="alert">That was not “${word}”. Nothing was changed.</p>` : ''}
    <label for="confirm">Type <strong>${word}</strong> to go on</label>
    <div class="row">
      <input
        id="confirm"
        name="confirm"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        required
        maxlength="255"
        ${isWrong ? html`aria-invalid="true"` : ''}
      />
      ${button({ label: action.label, look: 'losing' })} ${CANCEL}
    </div>`;

export const refusedView = (reason: string): PageView => ({
  title: 'Not possible',
  body: html`<div class="narrow">
    ${pageHead('Not possible', { buttons: [linkButton('/ui/', { label: 'Machines', icon: 'servers' })] })}
    ${notice('broken', reason)}
  </div>`,
});

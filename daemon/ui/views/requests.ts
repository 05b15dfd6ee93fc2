// The pages that follow a button: the question before an action that loses something, the results, and a refusal.
import type { Action } from '../actions/actions.ts';
import type { Outcome } from '../actions/perform.ts';
import type { View } from './layout.ts';
import { html, type Markup, plural } from './markup.ts';

export interface Question {
  readonly name: string;
  readonly action: Action;
  readonly nodes: readonly {
    readonly uuid: string;
    readonly label: string;
    readonly plan: readonly string[];
  }[];
  /** What the visitor must type. */
  readonly word: string;
  /** Whether something else was typed before. */
  readonly isWrong: boolean;
}

export const questionView = ({ name, action, nodes, word, isWrong }: Question): Markup =>
  html`<h1>${action.label}: ${plural(nodes.length, 'machine')}</h1>
    <p class="trouble">${action.loses}</p>
    <ul class="entries">
      ${nodes.map(
        ({ label, plan }) =>
          html`<li>
            <strong>${label}</strong>${
              plan.length === 0
                ? ''
                : html`<ol>
                    ${plan.map((line) => html`<li>${line}</li>`)}
                  </ol>`
            }
          </li>`,
      )}
    </ul>
    <form method="post" action="/ui/actions">
      <input type="hidden" name="action" value="${name}" />
      ${nodes.map(({ uuid }) => html`<input type="hidden" name="node" value="${uuid}" />`)}
      ${isWrong ? html`<p class="failed" role="alert">That was not “${word}”.</p>` : ''}
      <p>
        <label
          >Type <strong>${word}</strong> to go on:
          <input name="confirm" autocomplete="off" required maxlength="255"
        /></label>
        <button class="losing">${action.label}</button> <a href="/ui/">Cancel</a>
      </p>
    </form>`;

/** `names`: the names of nodes by their UUIDs. */
export function outcomeView({ action, results }: Outcome, names: ReadonlyMap<string, string>): Markup {
  const refused = results.filter(({ refusal }) => refusal !== null).length;
  return html`<h1>${action}</h1>
    <p role="status">${results.length - refused} of ${plural(results.length, 'request')} accepted.</p>
    <ul class="entries">
      ${results.map(
        ({ node, refusal }) =>
          html`<li>
            <a href="/ui/nodes/${node}">${names.get(node) ?? node}</a>
            ${refusal === null ? 'accepted' : html`<strong class="failed">refused</strong> ${refusal}`}
          </li>`,
      )}
    </ul>
    <p><a href="/ui/">Rack</a> <a href="/ui/work">Work</a></p>`;
}

export const refusedView = (reason: string): View => ({
  title: 'Not possible',
  body: html`<h1>Not possible</h1>
    <p class="trouble">${reason}</p>`,
});

// The view Events: what happened to machines and what users requested, filtered by node, user and kind.
import type { Happening } from '../read/happenings.ts';
import { html, type Markup, timeOf } from './markup.ts';

export interface EventsPage {
  readonly happenings: readonly Happening[];
  readonly filter: { readonly node: string; readonly user: string; readonly kind: string };
  /** The names of nodes by their UUIDs. */
  readonly names: ReadonlyMap<string, string>;
  /** Why the filter matches nothing; undefined if it may match something. */
  readonly refusal: string | undefined;
}

const KINDS = [
  ['', 'any'],
  ['event', 'event'],
  ['request', 'request'],
] as const;

export const eventsView = ({ happenings, filter, names, refusal }: EventsPage): Markup =>
  html`<h1>Events</h1>
    <form method="get" action="/ui/events" class="filter">
      <label>Node <input name="node" value="${filter.node}" maxlength="255" /></label>
      <label>User <input name="user" value="${filter.user}" maxlength="255" /></label>
      <label
        >Kind
        <select name="kind">
          ${KINDS.map(
            ([value, label]) =>
              html`<option value="${value}" ${value === filter.kind ? html`selected` : ''}>${label}</option>`,
          )}
        </select>
      </label>
      <button>Show</button>
    </form>
    ${refusal === undefined ? '' : html`<p class="failed">${refusal}</p>`}
    <section id="events" data-live>
      ${happenings.length === 0 ? html`<p>Nothing to show.</p>` : table(happenings, names)}
    </section>`;

const table = (happenings: readonly Happening[], names: EventsPage['names']): Markup =>
  html`<table>
    <thead>
      <tr>
        <th scope="col">Time (UTC)</th>
        <th scope="col">Who</th>
        <th scope="col">Node</th>
        <th scope="col">What</th>
      </tr>
    </thead>
    <tbody>
      ${happenings.map(
        ({ at, user, node, text, failed }) =>
          html`<tr>
            <td>${timeOf(at)}</td>
            <td>${user ?? 'daemon'}</td>
            <td>${node === null ? '' : html`<a href="/ui/nodes/${node}">${names.get(node) ?? node}</a>`}</td>
            <td>${failed ? html`<strong class="failed">failed</strong> ` : ''}${text}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;

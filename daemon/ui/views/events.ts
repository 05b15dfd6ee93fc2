// The view Events: what happened to machines and what users requested, filtered by node, user and kind, in pages.
import type { Happening, HappeningPage } from '../read/happenings.ts';
import { button, linkButton } from '../kit/controls.ts';
import { inputField } from '../kit/fields.ts';
import { html, type Markup, timeAgo } from '../kit/markup.ts';
import { toneMark } from '../kit/state.ts';
import { badge, card, emptyState, notice, pageHead } from '../kit/surfaces.ts';
import { type Column, table } from '../kit/table.ts';

export interface EventsPage extends HappeningPage {
  readonly filter: {
    readonly node: string;
    readonly user: string;
    readonly kind: string;
    /** Where the page begins; empty for the newest. */
    readonly before: string;
  };
  /** The names of nodes by their UUIDs. */
  readonly names: ReadonlyMap<string, string>;
  /** Why the filter matches nothing; undefined if it may match something. */
  readonly refusal: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const KINDS = [
  ['', 'all'],
  ['event', 'what happened'],
  ['request', 'what users requested'],
] as const;

export function eventsView(page: EventsPage): Markup {
  const { filter, refusal } = page;
  const isNewest = filter.before === '';
  return html`${pageHead('Events', { lead: isNewest ? 'The newest first' : 'Earlier events' })}
    <div class="stack">
      ${refusal === undefined ? '' : notice('broken', refusal)}
      ${card({ flush: true, body: html`${filterBar(page)}${isNewest ? html`<div id="events" data-live>${listPart(page)}</div>` : listPart(page)}` })}
    </div>`;
}

const filterBar = ({ filter }: EventsPage): Markup =>
  html`<form method="get" action="/ui/events" class="filters">
    <div class="chips">
      ${KINDS.map(
        ([value, label]) =>
          html`<a
            class="chip"
            href="${placeOf({ ...filter, kind: value, before: '' })}"
            ${value === filter.kind ? html`aria-current="true"` : ''}
            >${label}</a
          >`,
      )}
    </div>
    <input type="hidden" name="kind" value="${filter.kind}" />
    ${inputField({ name: 'node', label: 'Machine', value: filter.node, placeholder: 'name or UUID' })}
    ${inputField({ name: 'user', label: 'User', value: filter.user })}
    ${button({ label: 'Filter', icon: 'filter' })}
    ${filter.node + filter.user === '' ? '' : linkButton(placeOf({ ...filter, node: '', user: '', before: '' }), { label: 'Clear', look: 'quiet', icon: 'close' })}
  </form>`;

function placeOf(filter: EventsPage['filter']): string {
  const set = Object.entries(filter).filter(([, value]) => value !== '');
  return set.length === 0 ? '/ui/events' : `/ui/events?${new URLSearchParams(set).toString()}`;
}

function listPart({ happenings, names, next, filter, now }: EventsPage): Markup {
  const isNewest = filter.before === '';
  if (happenings.length === 0)
    return emptyState({
      icon: 'clock',
      title: isNewest ? 'Nothing has happened' : 'Nothing earlier',
      text: 'What happens to machines, and what users request, is listed here. Another filter may show more.',
    });
  return html`${table({ about: 'Events', columns: columnsOf(names, now), rows: happenings })}
    <nav class="pages" aria-label="Pages">
      ${isNewest ? '' : linkButton(placeOf({ ...filter, before: '' }), { label: 'Newest', icon: 'back' })}
      ${next === undefined ? html`<small>This is all that is kept.</small>` : linkButton(placeOf({ ...filter, before: next }), { label: 'Earlier', icon: 'arrow' })}
    </nav>`;
}

const columnsOf = (names: EventsPage['names'], now: number): readonly Column<Happening>[] => [
  { title: 'When', look: 'soft', cell: ({ at }) => timeAgo(at, now) },
  {
    title: 'Machine',
    cell: ({ node }) =>
      node === null ? html`` : html`<a href="/ui/nodes/${node}">${names.get(node) ?? node}</a>`,
  },
  {
    title: 'What',
    look: 'wide',
    cell: ({ text, failed }) => html`${failed ? toneMark('broken', 'failed') : ''} ${text}`,
  },
  { title: 'Who', cell: ({ user }) => (user === null ? html`<small>daemon</small>` : badge(user)) },
];

// The view Sessions: where the visitor is signed in.
import type { ShownSession } from '../../../http/login/list-people.ts';
import { button } from '../../kit/controls.ts';
import { html, type Markup, timeAgo } from '../../kit/markup.ts';
import { badge, card, pageHead } from '../../kit/surfaces.ts';
import { table } from '../../kit/table.ts';

/** `user`: not set where all sessions are the visitor's. */
interface SessionRow extends ShownSession {
  readonly user?: string;
}

export interface ShownSessions {
  readonly sessions: readonly SessionRow[];
  /** The id of the session with which the page is shown; undefined for a visitor who has not signed in on the page. */
  readonly own: string | undefined;
  /** The view to which the form that ends a session leads back. */
  readonly from: 'users' | 'sessions';
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export const sessionsView = (shown: Omit<ShownSessions, 'from'>): Markup =>
  html`${pageHead('Your sessions', { lead: 'Browsers in which you are signed in.' })}
  ${card({
    flush: true,
    body:
      shown.sessions.length === 0
        ? html`<p class="body">
            You are signed in by your browser's own password window, which has no session.
          </p>`
        : sessionTable({ ...shown, from: 'sessions' }),
  })}`;

export const sessionTable = ({ sessions, own, from, now }: ShownSessions): Markup =>
  table<SessionRow>({
    about: 'Sessions',
    rows: sessions,
    columns: [
      ...(from === 'users'
        ? [{ title: 'User', isName: true, cell: ({ user = '' }: SessionRow) => user }]
        : []),
      {
        title: 'Browser',
        isName: from === 'sessions',
        cell: ({ id, browser }) =>
          html`<span title="${browser}">${browserName(browser)}</span>
            ${id === own ? badge('this one', 'good') : ''}`,
      },
      { title: 'From', cell: ({ address }) => address ?? 'this host' },
      {
        title: 'Signed in',
        look: 'soft',
        cell: ({ made_at: made }) => html`signed in ${timeAgo(made, now)}`,
      },
      { title: 'Last used', look: 'soft', cell: ({ seen_at: seen }) => html`used ${timeAgo(seen, now)}` },
      {
        title: 'End',
        hidesTitle: true,
        cell: ({ id, browser }) =>
          html`<form method="post" action="/ui/sessions/end" class="own">
            <input type="hidden" name="session" value="${id}" />
            <input type="hidden" name="from" value="${from}" />
            ${button({ label: 'End', small: true, about: `End the session in ${browserName(browser)}` })}
          </form>`,
      },
    ],
  });

const BROWSERS = ['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari'] as const;
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'CrOS', 'Linux'] as const;
const SHOWN: Readonly<Record<string, string>> = {
  Edg: 'Edge',
  OPR: 'Opera',
  'Mac OS X': 'macOS',
  CrOS: 'ChromeOS',
};

/** Returns a short name such as `Firefox on Linux` for a User-Agent header; the beginning of an unknown one. */
function browserName(agent: string): string {
  const browser = BROWSERS.find((name) => agent.includes(`${name}/`));
  if (browser === undefined) return agent === '' ? 'unknown' : agent.slice(0, 40);
  const system = SYSTEMS.find((name) => agent.includes(name));
  return `${SHOWN[browser] ?? browser}${system === undefined ? '' : ` on ${SHOWN[system] ?? system}`}`;
}

// The frame of every view: head, navigation with counts, search, and whether the page is live.
import type { Caller } from '../../model/caller.ts';
import { button, menu } from '../kit/controls.ts';
import { icon } from '../kit/icon.ts';
import { html, type Markup } from '../kit/markup.ts';

/** What the head of every page counts. */
export interface HeadCounts {
  readonly machines: number;
  /** Machines that have a problem. */
  readonly problems: number;
  /** Machines that are worked on. */
  readonly working: number;
  readonly images: number;
  /** New machines that wait for a decision. */
  readonly waiting: number;
  /** Checks of Health that fail. */
  readonly failing: number;
}

export interface PageFrame {
  /** The name of the site. */
  readonly site: string;
  /**
   * Who sees the page. The style sheet hides the controls that change something from users of role reader, except those for their own sessions; the API would refuse
   * such requests from these users anyway.
   */
  readonly visitor: Pick<Caller, 'user' | 'role' | 'session'>;
  readonly counts: HeadCounts;
  /** Whether the page answers a form: such a page cannot be fetched again, and is not live. */
  readonly isStill: boolean;
  /** The id of the newest event when the page was made. */
  readonly event: number;
  /** The path of the folder with the files of the pages. */
  readonly assets: string;
}

export interface PageView {
  readonly title: string;
  /** The path of the view in the links at the top; undefined for a page that belongs to none of these views. */
  readonly at?: string;
  readonly query?: string;
  readonly body: Markup;
  /**
   * What is fetched again when a node changes. `rows`: the row of that node. `node`: the whole page, at once if this node has
   * changed, else some seconds later. Not set: the whole page, whichever node has changed.
   */
  readonly follows?: 'rows' | { readonly node: string };
  /** Whether new events in timelines change the page too. */
  readonly showsTimelines?: true;
  /** Modules of the page beside page.js, such as `console.js`. */
  readonly modules?: readonly string[];
}

const LINKS: readonly (readonly [string, string, keyof HeadCounts | undefined])[] = [
  ['/ui/', 'Machines', 'machines'],
  ['/ui/images', 'Images', 'images'],
  ['/ui/network', 'Network', undefined],
  ['/ui/work', 'Work', 'working'],
  ['/ui/events', 'Events', undefined],
  ['/ui/health', 'Health', 'failing'],
  ['/ui/add', 'Add', 'waiting'],
];

export function layout(frame: PageFrame, view: PageView): Markup {
  const { site, visitor, counts, isStill, event, assets } = frame;
  const { title, body, follows, showsTimelines, modules = [] } = view;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} - ${site}</title>
        <link
          id="icon"
          rel="icon"
          href="${assets}${counts.problems + counts.failing === 0 ? 'icon.svg' : 'icon-attention.svg'}"
          type="image/svg+xml"
          data-live
        />
        <link rel="stylesheet" href="${assets}page.css" />
        ${['page.js', 'keys.js', ...modules].map((name) => html`<script type="module" src="${assets}${name}"></script>`)}
      </head>
      <body data-role="${visitor.role}" data-stream="${assets}stream.js">
        <a class="skip" href="#main">Skip to the content</a>
        ${headOf(frame, view)}
        <main
          id="main"
          tabindex="-1"
          data-event="${event}"
          ${isStill ? html`data-still` : ''}
          ${showsTimelines === true ? html`data-timelines` : ''}
          ${followed(follows)}
        >
          ${body}
        </main>
      </body>
    </html>`;
}

const headOf = ({ site, visitor, counts, assets }: PageFrame, { at, query = '' }: PageView): Markup =>
  html`<header class="head">
    <a class="brand" href="/ui/"
      ><img src="${assets}icon.svg" alt="" width="22" height="22" />ironic-edge <small>${site}</small></a
    >
    <nav class="views" id="views" aria-label="Views" data-live>
      ${LINKS.map(
        ([href, name, count]) =>
          html`<a href="${href}" ${href === at ? html`aria-current="page"` : ''}
            >${name}${countOf(counts, count)}</a
          > `,
      )}
    </nav>
    <form class="search" role="search" action="/ui/" method="get">
      ${icon('search')}
      <input
        type="search"
        name="q"
        value="${query}"
        aria-label="Search machines"
        placeholder="Name, serial, MAC, BMC"
        maxlength="100"
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
    <button id="palette" class="quiet small" aria-label="Find or do anything, Ctrl K">Ctrl K</button>
    <div class="status">
      <span id="problems" data-live>${needs(counts)}</span>
      <span id="live" role="status">not live</span>
      ${userMenu(visitor)}
    </div>
  </header>`;

function countOf(counts: HeadCounts, name: keyof HeadCounts | undefined): Markup {
  const count = name === undefined ? 0 : counts[name];
  return count === 0 ? html`` : html` <span class="count">${count}</span>`;
}

/** What an operator should look at first. */
function needs({ problems, failing }: HeadCounts): Markup {
  if (problems === 0)
    return failing === 0 ? html`` : html`<a class="needs" href="/ui/health">${icon('warning')} Health</a>`;
  return html`<a class="needs" href="/ui/?only=problems"
    >${icon('warning')} ${problems} ${problems === 1 ? 'needs' : 'need'} you</a
  >`;
}

/** Who logged in by the browser's own password window stays logged in until the browser is closed. */
function userMenu({ user, role, session }: PageFrame['visitor']): Markup {
  if (user === null) return html``;
  return menu('user', {
    label: user,
    icon: 'user',
    look: 'quiet',
    items: [
      html`<span class="item"><small>${role}</small></span>`,
      html`<a href="/ui/sessions">Your sessions</a>`,
      ...(role === 'admin' ? [html`<a href="/ui/users">Users</a>`] : []),
      ...(session === undefined ? [] : [signOutForm]),
    ],
  });
}

const signOutForm = html`<form method="post" action="/ui/logout" class="own">
  ${button({ label: 'Sign out', look: 'quiet', icon: 'out' })}
</form>`;

function followed(follows: PageView['follows']): Markup {
  if (follows === undefined) return html``;
  return follows === 'rows' ? html`data-rows` : html`data-node="${follows.node}"`;
}

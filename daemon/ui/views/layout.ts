// The frame of every view: head, search, links to the views of the site, and whether the page is live.
import type { Caller } from '../../conductor/services.ts';
import { html, type Markup } from './markup.ts';

export interface Frame {
  readonly site: string;
  /**
   * Who sees the page. page.css hides the controls that change something from users of role reader; the API would refuse such
   * requests from these users anyway.
   */
  readonly visitor: Pick<Caller, 'user' | 'role'>;
  /** How many machines have a problem. */
  readonly problems: number;
  /** How many checks of Health fail. */
  readonly failing: number;
  /** Whether the page answers a form: such a page cannot be fetched again, and is not live. */
  readonly isStill: boolean;
  /** The id of the newest event when the page was made. */
  readonly event: number;
  /** The paths of the files by their plain names. */
  readonly files: Readonly<Record<'page.js' | 'stream.js' | 'page.css' | 'icon.svg', string>>;
}

export interface View {
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
}

const LINKS = [
  ['/ui/', 'Rack'],
  ['/ui/inbox', 'Inbox'],
  ['/ui/work', 'Work'],
  ['/ui/events', 'Events'],
  ['/ui/health', 'Health'],
] as const;

export function layout(
  { site, visitor, problems, failing, isStill, event, files }: Frame,
  view: View,
): Markup {
  const { title, at, query = '', body, follows, showsTimelines } = view;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} - ${site}</title>
        <link rel="icon" href="${files['icon.svg']}" type="image/svg+xml" />
        <link rel="stylesheet" href="${files['page.css']}" />
        <script type="module" src="${files['page.js']}"></script>
      </head>
      <body data-role="${visitor.role}" data-stream="${files['stream.js']}">
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <a class="site" href="/ui/">${site}</a>
          <form role="search" action="/ui/" method="get">
            <input
              type="search"
              name="q"
              value="${query}"
              aria-label="Search machines"
              placeholder="name, UUID, MAC, BMC, serial"
              maxlength="100"
            />
            <button>Search</button>
          </form>
          <span id="problems" data-live>${troubles(problems, failing)}</span>
          <span id="live" role="status">not live</span>
          ${visitor.user === null ? '' : html`<span>${visitor.user}</span>`}
          <nav aria-label="Views">
            ${LINKS.map(
              ([href, name]) =>
                html`<a href="${href}" ${href === at ? html`aria-current="page"` : ''}>${name}</a> `,
            )}
          </nav>
        </header>
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

function troubles(problems: number, failing: number): Markup {
  if (problems === 0 && failing === 0) return html`no problems`;
  return html`${problems === 0 ? '' : html`<a class="failed" href="/ui/?only=problems">${problems} with a problem</a> `}${
    failing === 0 ? '' : html`<a class="failed" href="/ui/health">Health: ${failing} failing</a>`
  }`;
}

function followed(follows: View['follows']): Markup {
  if (follows === undefined) return html``;
  return follows === 'rows' ? html`data-rows` : html`data-node="${follows.node}"`;
}

// The page of a machine: its head, and one of its tabs.
import { tabs } from '../../kit/controls.ts';
import { html, type Markup } from '../../kit/markup.ts';
import { type HeadParts, machineHead } from './head.ts';
import { type TabName, TABS } from './tab-names.ts';

export interface NodePage extends HeadParts {
  readonly body: Markup;
  /**
   * The number of seconds after which the tab is fetched again, if it changes without an event; `never`: the tab keeps what the
   * visitor does in it, and only its parts may be live.
   */
  readonly every?: number | 'never' | undefined;
}

export function nodeView({ body, every, ...head }: NodePage): Markup {
  const { tab } = head;
  const place = (name: TabName) => `/ui/nodes/${head.machine.uuid}${name === '' ? '' : `/${name}`}`;
  const all = TABS.map(([name, label]) => ({ href: place(name), label }));
  return html`${machineHead(head)} ${tabs('Parts of this machine', all, place(tab))}
  ${
    every === 'never'
      ? html`<section>${body}</section>`
      : html`<section id="tab" data-live ${every === undefined ? '' : html`data-every="${every}"`}>
          ${body}
        </section>`
  }`;
}

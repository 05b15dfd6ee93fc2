// The frame of the four ways to add machines.
import { tabs } from '../../kit/controls.ts';
import { html, type Markup } from '../../kit/markup.ts';
import { pageHead } from '../../kit/surfaces.ts';
import type { PageView } from '../layout.ts';

export interface AddTab {
  readonly title: string;
  readonly href: '/ui/add' | '/ui/add/many' | '/ui/add/discovered' | '/ui/add/boot';
  /** How many machines wait for a decision. */
  readonly waiting: number;
  readonly body: Markup;
}

export const addPage = (
  { title, href, waiting, body }: AddTab,
  view: Pick<PageView, 'modules' | 'showsTimelines'> = {},
): PageView => ({
  title: `Add machines: ${title}`,
  at: '/ui/add',
  ...view,
  body: html`${pageHead('Add machines')}
  ${tabs(
    'Ways to add machines',
    [
      { href: '/ui/add', label: 'By BMC' },
      { href: '/ui/add/many', label: 'Many' },
      { href: '/ui/add/discovered', label: 'Discovered', count: waiting === 0 ? undefined : waiting },
      { href: '/ui/add/boot', label: 'By network boot' },
    ],
    href,
  )}
  ${body}`,
});

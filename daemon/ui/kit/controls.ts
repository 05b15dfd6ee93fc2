// Buttons, menus and tabs.
import { icon, type IconName } from './icon.ts';
import { html, type Markup } from './markup.ts';

interface Look {
  /** `primary`: the one next sensible action of a page; `losing`: destroys something; `quiet`: without a frame. */
  readonly look?: 'primary' | 'losing' | 'quiet';
  readonly icon?: IconName;
  readonly small?: boolean;
}

export interface ButtonParts extends Look {
  readonly label: string;
  readonly name?: string;
  readonly value?: string;
  /** What a screen reader says instead of the label, if several buttons have the same label. */
  readonly about?: string;
}

const classOfLook = ({ look, small }: Look): string =>
  ['button', look, small === true ? 'small' : undefined].filter((each) => each !== undefined).join(' ');

/** The button of a form. */
export const button = (parts: ButtonParts): Markup =>
  html`<button
    class="${classOfLook(parts)}"
    ${parts.name === undefined ? '' : html`name="${parts.name}" value="${parts.value ?? ''}"`}
    ${parts.about === undefined ? '' : html`aria-label="${parts.about}"`}
  >
    ${parts.icon === undefined ? '' : icon(parts.icon)} ${parts.label}
  </button>`;

/** A link that looks like a button. */
export const linkButton = (href: string, parts: Look & { readonly label: string }): Markup =>
  html`<a class="${classOfLook(parts)}" href="${href}"
    >${parts.icon === undefined ? '' : icon(parts.icon)} ${parts.label}</a
  >`;

/** Buttons and links behind one button. `side`: the edge of the button that the list keeps to. */
export const menu = (
  id: string,
  {
    label,
    items,
    side = 'right',
    ...look
  }: Look & {
    readonly label: string | Markup;
    readonly items: readonly Markup[];
    readonly side?: 'left' | 'right';
  },
): Markup =>
  html`<details class="menu ${side}" id="${id}">
    <summary class="${classOfLook(look)}">
      ${look.icon === undefined ? '' : icon(look.icon)} ${label} ${icon('down')}
    </summary>
    <div class="items">${items}</div>
  </details>`;

export interface Tab {
  readonly href: string;
  readonly label: string;
  readonly count?: number | undefined;
}

/** `about`: what the tabs are the parts of. */
export const tabs = (about: string, all: readonly Tab[], current: string): Markup =>
  html`<nav class="tabs" aria-label="${about}">
    ${all.map(
      ({ href, label, count }) =>
        html`<a href="${href}" ${href === current ? html`aria-current="page"` : ''}
          >${label}${count === undefined ? '' : html` <span class="count">${count}</span>`}</a
        >`,
    )}
  </nav>`;

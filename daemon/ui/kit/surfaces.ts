// What holds content: the head of a page, cards, figures, notices, and places where there is nothing yet.
import { icon, type IconName } from './icon.ts';
import { html, type Markup } from './markup.ts';
import type { Tone } from './state.ts';

/** The first line of a page. `buttons`: what the page is for, the most important one last. */
export const pageHead = (
  title: string,
  { lead, buttons = [] }: { readonly lead?: Markup | string; readonly buttons?: readonly Markup[] } = {},
): Markup =>
  html`<div class="page-head">
    <h1>${title}</h1>
    ${lead === undefined ? '' : html`<div class="lead">${lead}</div>`}
    ${buttons.length === 0 ? '' : html`<div class="buttons">${buttons}</div>`}
  </div>`;

export interface CardParts {
  readonly title?: string;
  /** Beside the title, at the right. */
  readonly aside?: Markup | string;
  readonly body: Markup;
  /** Whether the body reaches the edges, as a table does. */
  readonly flush?: boolean;
  readonly footer?: Markup;
  readonly id?: string;
  /** Whether a live page replaces the card when it changes; needs `id`. */
  readonly live?: boolean;
}

export const card = ({ title, aside, body, flush = false, footer, id, live = false }: CardParts): Markup =>
  html`<section class="card" ${id === undefined ? '' : html`id="${id}"`} ${live ? html`data-live` : ''}>
    ${
      title === undefined
        ? ''
        : html`<header>
            <h2>${title}</h2>
            ${aside === undefined ? '' : html`<span class="aside">${aside}</span>`}
          </header>`
    }
    <div class="${flush ? 'flush' : 'body'}">${body}</div>
    ${footer === undefined ? '' : html`<footer>${footer}</footer>`}
  </section>`;

/** A figure that leads to what it counts. */
export const stat = (parts: {
  readonly value: number | string;
  readonly label: string;
  readonly href: string;
  readonly tone?: Tone;
  readonly isCurrent?: boolean;
}): Markup =>
  html`<a
    class="stat ${parts.tone ?? ''}"
    href="${parts.href}"
    ${parts.isCurrent === true ? html`aria-current="true"` : ''}
    ><b>${parts.value}</b><span>${parts.label}</span></a
  >`;

const NOTICE_ICONS: Readonly<Record<Tone, IconName>> = {
  good: 'done',
  working: 'info',
  attention: 'warning',
  broken: 'failed',
  idle: 'info',
};

/** Something that the visitor must know. `isAnswer`: it answers what the visitor just did, and screen readers say it at once. */
export const notice = (tone: Tone, body: Markup | string, isAnswer = false): Markup =>
  html`<div class="notice ${tone}" ${isAnswer ? html`role="alert"` : ''}>
    ${icon(NOTICE_ICONS[tone])}
    <div>${body}</div>
  </div>`;

/** A place where there is nothing yet: why, and what to do. */
export const emptyState = (parts: {
  readonly icon: IconName;
  readonly title: string;
  readonly text: Markup | string;
  readonly buttons?: readonly Markup[];
}): Markup =>
  html`<div class="empty">
    ${icon(parts.icon)}
    <h2>${parts.title}</h2>
    <p>${parts.text}</p>
    ${parts.buttons === undefined ? '' : html`<div class="buttons">${parts.buttons}</div>`}
  </div>`;

/** Names and values; those without a value are left out. */
export const facts = (all: readonly (readonly [string, Markup | string | null | undefined])[]): Markup =>
  html`<dl class="facts">
    ${all.map(([name, value]) =>
      value === '' || value === null || value === undefined
        ? ''
        : html`<dt>${name}</dt>
            <dd>${value}</dd>`,
    )}
  </dl>`;

export const badge = (text: string, tone?: Tone): Markup =>
  html`<span class="badge ${tone ?? ''}">${text}</span>`;

/** `value` of `max`; without `value`, it only says that something is under way. */
export const progressBar = (
  about: string,
  { value, max }: { readonly value?: number; readonly max: number },
): Markup =>
  html`<progress
    max="${Math.max(1, max).toFixed()}"
    ${value === undefined ? '' : html`value="${Math.min(value, Math.max(1, max)).toFixed()}"`}
    aria-label="${about}"
  ></progress>`;

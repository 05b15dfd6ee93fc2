// Forms that have one button and send an action for one machine.
import { html, type Markup } from '../kit/markup.ts';

export interface Button {
  readonly label: string;
  /** What a screen reader says instead of the label, if several buttons have the same label. */
  readonly about?: string;
}

export const actionForm = (node: string, action: string, { label, about = label }: Button): Markup =>
  html`<form method="post" action="/ui/actions">
    <input type="hidden" name="node" value="${node}" />
    <button name="action" value="${action}" aria-label="${about}">${label}</button>
  </form>`;

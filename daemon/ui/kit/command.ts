// A command line, or a line of the configuration, to copy. Without copy.js there is no button, and the text can be selected.
import { icon } from './icon.ts';
import { html, type Markup } from './markup.ts';

export const command = (text: string): Markup =>
  html`<span class="command">
    <code>${text}</code>
    <button type="button" class="quiet small" data-copy aria-label="Copy ${text}">
      ${icon('copy')}${icon('check')}
    </button>
  </span>`;

// All that the page of a machine shows, one below the other, to be printed.
import type { JsonObject } from '../../../model/json.ts';
import { html, type Markup } from '../../kit/markup.ts';
import { card } from '../../kit/surfaces.ts';

/** `parts`: the bodies of the tabs. */
export const reportTab = (parts: readonly Markup[], record: JsonObject): Markup =>
  html`<div class="stack report">
    ${parts}
    ${card({ title: 'The record as JSON', body: html`<pre tabindex="0">${JSON.stringify(record, null, 2)}</pre>` })}
  </div>`;

// What was seen of a machine: as a list, the newest first, and as text.
import type { MachineEvent } from '../../../model/records/machine-event.ts';
import { html, type Markup } from '../../kit/markup.ts';
import { badge } from '../../kit/surfaces.ts';

export const eventList = (events: readonly MachineEvent[]): Markup =>
  html`<ol class="events">
    ${events.map(
      (event) =>
        html`<li>
          <time datetime="${event.at}" title="${event.at.slice(0, 10)} UTC">${event.at.slice(11, 19)}</time>
          ${badge(event.hop, event.failed ? 'broken' : undefined)}
          <span>${event.failed ? html`<strong class="text-broken">failed</strong> ` : ''}${seen(event)}</span>
        </li>`,
    )}
  </ol>`;

const seen = ({ mac, address, text }: MachineEvent): string =>
  [mac ?? address, text].filter(Boolean).join(' ');

/** The timeline as text, which can be sent to somebody: a line for each event. */
export const timelineText = (events: readonly MachineEvent[]): string =>
  events
    .map((event) => `${event.at} ${event.hop.padEnd(10)} ${event.failed ? 'FAILED ' : ''}${seen(event)}\n`)
    .join('');

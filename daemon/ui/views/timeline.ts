// The timeline of a machine as rows with bars: when each hop was seen, and how long the next one took.
import type { MachineEvent } from '../../model/records/machine-event.ts';
import { durationText, html, type Markup, timeOf } from './markup.ts';

const WIDTH = 100;

export function timelineView(events: readonly MachineEvent[]): Markup {
  if (events.length === 0) return html`<p>Nothing was seen of this machine yet.</p>`;
  const times = events.map(({ at }) => Date.parse(at));
  const [start = 0] = times;
  const span = Math.max(1, (times.at(-1) ?? start) - start);
  const at = (index: number) => (((times[index] ?? start) - start) / span) * WIDTH;
  return html`<table class="timeline">
    <thead>
      <tr>
        <th scope="col">Time (UTC)</th>
        <th scope="col">Hop</th>
        <th scope="col">What was seen</th>
        <th scope="col">Until the next</th>
      </tr>
    </thead>
    <tbody>
      ${events.map((event, index) => {
        const next = times[index + 1];
        return html`<tr>
          <td>${timeOf(event.at)}</td>
          <th scope="row">${event.hop}</th>
          <td>${event.failed ? html`<strong class="failed">failed</strong> ` : ''}${seen(event)}</td>
          <td>
            ${next === undefined ? '' : durationText((next - (times[index] ?? next)) / 1000)}
            ${bar(at(index), next === undefined ? WIDTH : at(index + 1))}
          </td>
        </tr>`;
      })}
    </tbody>
  </table>`;
}

const bar = (from: number, to: number): Markup =>
  html`<svg class="bar" viewBox="0 0 ${WIDTH} 6" preserveAspectRatio="none" aria-hidden="true">
    <rect x="${from.toFixed(2)}" y="1" width="${Math.max(0.8, to - from).toFixed(2)}" height="4" />
  </svg>`;

const seen = ({ mac, address, text }: MachineEvent): string =>
  [mac ?? address, text].filter(Boolean).join(' ');

/** Returns the events since the last time the machine was powered on or reset, or all of them. */
export function lastBoot(events: readonly MachineEvent[]): readonly MachineEvent[] {
  const start = events.findLastIndex(({ hop, text }) => hop === 'power' && !text.includes('off'));
  return start < 0 ? events : events.slice(start);
}

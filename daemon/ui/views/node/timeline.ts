// The timeline of a machine as rows with bars: when each hop (a stage of a boot, such as dhcp or tftp) was seen, when it is
// usually seen, and which hop comes next.
import { type Hop, type MachineEvent } from '../../../model/records/machine-event.ts';
import type { MissingHop } from '../../read/missing-hop.ts';
import { durationText, html, type Markup, plural, timeOf } from '../markup.ts';

const WIDTH = 100;

export interface Timeline {
  readonly node: string;
  readonly label: string;
  /** The events since the machine was last powered on or reset; all events if neither was seen. */
  readonly boot: readonly MachineEvent[];
  readonly earlier: readonly MachineEvent[];
  /** How many seconds after power-on each hop is usually first seen. */
  readonly usual: ReadonlyMap<Hop, number>;
  readonly missing: MissingHop | undefined;
}

export const timelineTab = ({ node, label, boot, earlier, usual, missing }: Timeline): Markup =>
  html`<h2>Timeline of the last boot</h2>
    ${
      missing === undefined
        ? ''
        : html`<p class="${missing.late ? 'trouble' : ''}">
            Next: <strong>${missing.hop}</strong>, usually ${durationText(missing.usual)} after power-on.
            Power-on was ${durationText(missing.age)} ago.
            ${missing.late ? html`<strong class="failed">LATE</strong>` : ''}
          </p>`
    }
    ${timelineView(boot, usual)}
    ${
      earlier.length === 0
        ? ''
        : html`<details id="earlier">
            <summary>${plural(earlier.length, 'earlier event')}</summary>
            ${timelineView(earlier, new Map())}
          </details>`
    }
    <p>
      <a href="/ui/nodes/${node}/timeline.txt">As text</a>
      <code>ironic-edge node timeline ${label} --follow</code>
    </p>`;

function timelineView(events: readonly MachineEvent[], usual: Timeline['usual']): Markup {
  if (events.length === 0) return html`<p>Nothing was seen of this machine yet.</p>`;
  const times = events.map(({ at }) => Date.parse(at));
  const [start = 0] = times;
  const span = Math.max(1, (times.at(-1) ?? start) - start);
  const at = (index: number) => (((times[index] ?? start) - start) / span) * WIDTH;
  const first = new Set([...Map.groupBy(events, ({ hop }) => hop).values()].map(([event]) => event));
  return html`<table class="timeline">
    <thead>
      <tr>
        <th scope="col">Time (UTC)</th>
        <th scope="col">Hop</th>
        <th scope="col">What was seen</th>
        <th scope="col">After the first</th>
        <th scope="col">Until the next</th>
      </tr>
    </thead>
    <tbody>
      ${events.map((event, index) => {
        const next = times[index + 1];
        const usually = first.has(event) ? usual.get(event.hop) : undefined;
        return html`<tr>
          <td>${timeOf(event.at)}</td>
          <th scope="row">${event.hop}</th>
          <td>${event.failed ? html`<strong class="failed">failed</strong> ` : ''}${seen(event)}</td>
          <td>
            ${index === 0 ? '' : durationText(((times[index] ?? start) - start) / 1000)}
            ${usually === undefined ? '' : html`<small>usually ${durationText(usually)}</small>`}
          </td>
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

/** The timeline as text, which can be sent to somebody: a line for each event. */
export const timelineText = (events: readonly MachineEvent[]): string =>
  events
    .map((event) => `${event.at} ${event.hop.padEnd(10)} ${event.failed ? 'FAILED ' : ''}${seen(event)}\n`)
    .join('');

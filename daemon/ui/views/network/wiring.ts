// The card that draws which machine is plugged into which port of which switch: each switch as a box with its ports at both
// sides, each port with a line to its machine. A table below says the same.
import type { SwitchLink, SwitchShown, Wiring } from '../../read/site/wiring.ts';
import { html, type Markup, plural } from '../../kit/markup.ts';
import { shapeInDrawing, toneOf } from '../../kit/state.ts';
import { card, emptyState } from '../../kit/surfaces.ts';
import { type Column, table } from '../../kit/table.ts';

// in units of the drawing, which are pixels at its natural size
const WIDTH = 560;
const ROW = 24;
const TOP = 12;
const BOX = { left: 180, right: 380 };
const PIN = 10;
const LONGEST = { port: 12, machine: 18 };
const MOST_NAMED = 100;

export function wiringCard({ switches, unlinked }: Wiring): Markup {
  const links = switches.reduce((sum, each) => sum + each.links.length, 0);
  return card({
    title: 'Switches',
    aside: `${plural(switches.length, 'switch', 'switches')}, ${plural(links, 'link')} by LLDP`,
    id: 'wiring',
    live: true,
    body:
      links === 0
        ? emptyState({
            icon: 'network',
            title: 'No switch port is known',
            text: 'Switches that send LLDP tell where each machine is plugged in. The hook local-link-connection of the inspection notes it.',
          })
        : html`<div class="switches">${switches.map(switchDrawing)}</div>
            <details id="wiring-table">
              <summary>The same as a table</summary>
              ${table({ about: 'Switch ports and their machines', columns: COLUMNS, rows: rowsOf(switches) })}
            </details>`,
    ...(unlinked.length > 0 && { footer: unlinkedPart(unlinked) }),
  });
}

function switchDrawing({ name, id, links }: SwitchShown): Markup {
  const half = Math.ceil(links.length / 2);
  const height = 2 * TOP + half * ROW;
  return html`<figure>
    <figcaption><strong>${name}</strong> <small>${id === name ? '' : (id ?? '')}</small></figcaption>
    <div class="drawing">
      <svg
        viewBox="0 0 ${WIDTH} ${height}"
        width="${WIDTH}"
        height="${height}"
        role="group"
        aria-label="Ports of ${name}"
      >
        <rect
          class="box"
          x="${BOX.left}"
          y="1"
          width="${BOX.right - BOX.left}"
          height="${height - 2}"
          rx="6"
        />
        ${links.map((link, at) => (at < half ? pin(link, at, 'left') : pin(link, at - half, 'right')))}
      </svg>
    </div>
  </figure>`;
}

/** One port of the switch with the line to its machine. `row`: counted from the top. */
function pin(
  { port, machine, label, state, card: of }: SwitchLink,
  row: number,
  side: 'left' | 'right',
): Markup {
  const y = TOP + row * ROW + ROW / 2;
  const isLeft = side === 'left';
  const edge = BOX[side];
  const away = isLeft ? -1 : 1;
  const end = edge + away * 30;
  return html`<a href="/ui/nodes/${machine}" class="${toneOf(state)}">
    <title>${port}: ${label}, ${state}, ${of}</title>
    <rect class="hit" x="${isLeft ? 0 : edge}" y="${y - ROW / 2}" width="${BOX.left}" height="${ROW}" />
    <line class="wire" x1="${edge}" y1="${y}" x2="${end}" y2="${y}" />
    <rect class="pin" x="${edge - PIN / 2}" y="${y - PIN / 2}" width="${PIN}" height="${PIN}" rx="2" />
    <text class="port" x="${edge - away * 12}" y="${y + 4}" text-anchor="${isLeft ? 'start' : 'end'}">
      ${shortened(port, LONGEST.port)}
    </text>
    <g transform="translate(${isLeft ? end - 14 : end + 2} ${y - 6})">${shapeInDrawing(toneOf(state))}</g>
    <text x="${end + away * 20}" y="${y + 4}" text-anchor="${isLeft ? 'end' : 'start'}">
      ${shortened(label, LONGEST.machine)}
    </text>
  </a>`;
}

/** Keeps the end, in which names of ports and machines differ. */
const shortened = (text: string, longest: number): string =>
  text.length <= longest ? text : `…${text.slice(1 - longest)}`;

interface WiringRow extends SwitchLink {
  readonly switchName: string;
}

const rowsOf = (switches: readonly SwitchShown[]): readonly WiringRow[] =>
  switches.flatMap(({ name, links }) => links.map((link) => ({ ...link, switchName: name })));

const COLUMNS: readonly Column<WiringRow>[] = [
  { title: 'Switch', cell: ({ switchName }) => switchName },
  { title: 'Port', cell: ({ port }) => html`<span class="mono">${port}</span>` },
  {
    title: 'Machine',
    isName: true,
    cell: ({ machine, label }) => html`<a href="/ui/nodes/${machine}">${label}</a>`,
  },
  { title: 'Card', look: 'soft', cell: ({ card: of }) => html`<span class="mono">${of}</span>` },
];

const unlinkedPart = (unlinked: Wiring['unlinked']): Markup =>
  html`<details id="unlinked">
    <summary>${plural(unlinked.length, 'machine')} without a known switch port</summary>
    <p class="row">
      ${unlinked.slice(0, MOST_NAMED).map(({ uuid, label }) => html`<a href="/ui/nodes/${uuid}">${label}</a> `)}
      ${unlinked.length > MOST_NAMED ? html`<span>and ${unlinked.length - MOST_NAMED} more</span>` : ''}
    </p>
    <p>
      <small
        >Inspect them with LLDP switched on at the switch, or set local_link_connection of their ports.</small
      >
    </p>
  </details>`;

// Draws a rack from the front: its units, and each machine in its place with the shape and the colour of its state.
import { html, type Markup } from '../../kit/markup.ts';
import { menu } from '../../kit/controls.ts';
import { shapeInDrawing, toneOf } from '../../kit/state.ts';
import { card } from '../../kit/surfaces.ts';
import { machinesAddress, type MachineQuery } from '../../read/machine-query.ts';
import type { MachineRow } from '../../read/machine-rows.ts';
import { hasProblem, labelOf } from '../../read/machines.ts';

type Placed = MachineRow & { readonly unit: number };

/** No rack is higher; machines in other units are only in the table. */
const HIGHEST_UNIT = 60;
const UNIT = 22;
const WIDTH = 232;
const LEFT = 30;
const RIGHT = 22;
/** In units of the drawing; long names are cut. */
const CHARACTER = 7;

const isPlaced = (row: MachineRow): row is Placed =>
  row.unit !== null && Number.isInteger(row.unit) && row.unit >= 1 && row.unit <= HIGHEST_UNIT;

/** Returns the names of the racks in which at least one machine has a unit: only those can be drawn. */
export const drawnRacks = (rows: readonly MachineRow[]): readonly string[] => [
  ...new Set(rows.filter(isPlaced).map(({ rack }) => rack)),
];

/** `racks`: those that can be drawn. */
export function elevation(all: readonly MachineRow[], query: MachineQuery, racks: readonly string[]): Markup {
  const rack = [query.draw, query.values.rack].find((each) => racks.includes(each ?? '')) ?? racks[0] ?? '';
  const machines = all.filter(isPlaced).filter((row) => row.rack === rack);
  return html`<aside class="elevation" aria-label="Rack ${rack}">
    ${card({ title: `Rack ${rack}`, aside: racks.length < 2 ? 'front' : rackMenu(query, racks, rack), id: 'elevation', live: true, body: drawing(rack, machines) })}
  </aside>`;
}

const rackMenu = (query: MachineQuery, racks: readonly string[], current: string): Markup =>
  menu('racks', {
    label: 'Racks',
    small: true,
    items: racks.map(
      (rack) =>
        html`<a
          href="${machinesAddress(query, { draw: rack })}"
          ${rack === current ? html`aria-current="true"` : ''}
          >${rack}</a
        >`,
    ),
  });

function drawing(rack: string, machines: readonly Placed[]): Markup {
  const tops = machines.map(({ unit, height }) => Math.min(HIGHEST_UNIT, unit + height - 1));
  const top = Math.min(HIGHEST_UNIT, Math.max(...tops, 2) + 1);
  const bottom = Math.max(1, Math.min(...machines.map(({ unit }) => unit)) - 1);
  const units = Array.from({ length: top - bottom + 1 }, (_, index) => top - index);
  const height = units.length * UNIT;
  const places = Map.groupBy(machines, ({ unit }) => unit);
  return html`<svg
    class="rack-front"
    viewBox="0 0 ${WIDTH} ${height}"
    width="${WIDTH}"
    height="${height}"
    role="group"
    aria-label="Rack ${rack} from the front"
  >
    ${units.map((unit) => unitLine(unit, (top - unit) * UNIT))}
    ${[...places.values()].map((sharing) =>
      sharing.map((machine, index) => machineBox(machine, { top, index, of: sharing.length })),
    )}
  </svg>`;
}

const unitLine = (unit: number, y: number): Markup =>
  html`<text class="unit" x="${LEFT - 8}" y="${y + UNIT - 7}" text-anchor="end">${unit}</text
    ><rect
      class="slot"
      x="${LEFT}"
      y="${y + 1}"
      width="${WIDTH - LEFT - RIGHT}"
      height="${UNIT - 3}"
      rx="3"
    />`;

/** `index` of `of`: its place among the machines that begin in the same unit, such as blades. */
function machineBox(
  machine: Placed,
  { top, index, of }: { readonly top: number; readonly index: number; readonly of: number },
): Markup {
  const { uuid, unit, state } = machine;
  const height = Math.min(machine.height, top - unit + 1);
  const width = (WIDTH - LEFT - RIGHT) / of;
  const x = LEFT + index * width;
  const y = (top - unit - height + 1) * UNIT;
  const middle = y + (height * UNIT) / 2 - 0.5;
  const tone = toneOf(state);
  const label = labelOf(machine);
  const needsYou = hasProblem(machine);
  const room = Math.floor((width - 30) / CHARACTER);
  return html`<a
    href="/ui/nodes/${uuid}"
    class="box ${tone}"
    aria-label="${label}, unit ${unit}, ${state}${needsYou ? ', needs you' : ''}"
    ><title>${label}: ${state}</title
    ><rect
      class="case"
      x="${x}"
      y="${y + 1}"
      width="${width - (index < of - 1 ? 2 : 0)}"
      height="${height * UNIT - 3}"
      rx="3"
    /><rect class="edge" x="${x}" y="${y + 1}" width="4" height="${height * UNIT - 3}" rx="1.5" /><g
      transform="translate(${x + 9} ${middle - 5}) scale(0.85)"
      >${shapeInDrawing(tone)}</g
    >${
      room < 2
        ? ''
        : html`<text x="${x + 24}" y="${middle + 4}">
            ${label.length > room ? `${label.slice(0, room - 1)}…` : label}
          </text>`
    }${
      needsYou
        ? html`<g class="mark" transform="translate(${WIDTH - RIGHT + 5} ${middle - 6})">
            ${shapeInDrawing('broken')}
          </g>`
        : ''
    }</a
  >`;
}

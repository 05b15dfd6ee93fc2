// The tab Hardware of a machine: its parts, what has changed since the last inspection, how it differs from its class, firmware, and
// the switch ports at the other ends of its cables.
import type { ShownHardware } from '../../../conductor/inspection/hardware.ts';
import type { MachineHardware } from '../../../model/hardware/hardware.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.ts';
import type { FirmwareComponent } from '../../../model/records/firmware-component.ts';
import type { CardShown } from '../../read/node/neighbours.ts';
import type { MachineParts } from '../../read/node/overview.ts';
import { diskSize, memorySize, speedText } from '../../read/node/summary.ts';
import { html, type Markup, plural, timeOf } from '../../kit/markup.ts';
import { badge, card, emptyState, facts, notice } from '../../kit/surfaces.ts';
import { type Column, table } from '../../kit/table.ts';

export interface HardwareParts extends MachineParts {
  readonly firmware: readonly Pick<FirmwareComponent, 'component' | 'initial_version' | 'current_version'>[];
}

export function hardwareTab({ hardware, parts, inventory, cards, firmware }: HardwareParts): Markup {
  const network = cards.length === 0 ? '' : networkCard(cards);
  if (parts === undefined)
    return html`<div class="stack">
      ${card({
        flush: true,
        body: emptyState({
          icon: 'chip',
          title: 'Not inspected yet',
          text: 'An inspection finds the processor, memory, disks and network cards of the machine, and their switch ports.',
        }),
      })}
      ${network}
    </div>`;
  return html`<div class="stack">
    ${hardware === undefined ? '' : changesCard(hardware)} ${partsCards(parts)} ${disksCard(inventory)}
    ${network} ${firmware.length === 0 ? '' : firmwareCard(firmware)}
    ${inventory === undefined ? '' : wholeCard(inventory)}
  </div>`;
}

function changesCard(hardware: ShownHardware): Markup {
  const { source, inspected_at: at, compared_with: since, changes } = hardware;
  const { compared, not_compared: without } = hardware;
  const head = since === null ? '' : html`compared with ${timeOf(since)} UTC`;
  return card({
    title: 'What changed since the last inspection',
    aside: head,
    body: html`<div class="stack">
      ${
        since === null
          ? html`<p>
              The inspection of ${timeOf(at)} was the first by ${source}: there is nothing to compare it with.
            </p>`
          : changes.length === 0
            ? html`<p>Nothing has changed.</p>`
            : notice('attention', listed(changes))
      }
      ${ofClass(hardware)}
      <p>
        <small
          >Inspected ${timeOf(at)} UTC by
          ${source}.${since === null ? '' : ` Compared: ${compared.join(', ')}.`}${without.length === 0 || since === null ? '' : ` Not in both reports: ${without.join(', ')}.`}</small
        >
      </p>
    </div>`,
  });
}

function ofClass({
  class: name,
  class_differences: differing,
  class_unchecked: without,
}: ShownHardware): Markup | string {
  if (name === null) return '';
  return html`<div>
    <h3>Hardware class ${name}</h3>
    ${differing.length === 0 ? html`<p>Nothing differs.</p>` : listed(differing)}
    ${without.length === 0 ? '' : html`<p><small>Not checked, as no report lists it: ${without.join(', ')}.</small></p>`}
  </div>`;
}

const listed = (sentences: readonly string[]): Markup =>
  html`<ul class="sentences">
    ${sentences.map((sentence) => html`<li>${sentence}</li>`)}
  </ul>`;

function partsCards(parts: MachineHardware): Markup {
  const { cpu_model: model, cpus, cores, threads, memory_mib: mib, dimms, accelerators } = parts;
  const modules = dimms ?? [];
  return html`<div class="grid">
    ${card({
      title: 'Processors',
      body: facts([
        ['Model', model ?? 'not known'],
        ['Sockets', cpus === null ? '' : String(cpus)],
        ['Cores', cores === null ? '' : String(cores)],
        ['Threads', threads === null ? '' : String(threads)],
        ['Accelerators', (accelerators ?? []).join(', ')],
      ]),
    })}
    ${card({
      title: 'Memory',
      ...(mib !== null && { aside: memorySize(mib) }),
      body:
        modules.length === 0
          ? html`<p><small>The report does not list the memory modules.</small></p>`
          : facts(modules.map(({ slot, mib: size }) => [slot, memorySize(size)] as const)),
    })}
    ${card({
      title: 'System',
      body: facts([
        ['Serial', parts.serial],
        ['Firmware', parts.firmware],
      ]),
    })}
  </div>`;
}

const MOST_ROWS = 100;

function disksCard(inventory: JsonObject | undefined): Markup | string {
  const disks = rowsIn(inventory?.['disks']);
  if (disks.length === 0) return '';
  const columns: readonly Column<JsonObject>[] = [
    { title: 'Disk', isName: true, cell: (disk) => textOf(disk, 'name') || 'disk' },
    { title: 'Size', look: 'number', cell: ({ size }) => (typeof size === 'number' ? diskSize(size) : '') },
    { title: 'Model', cell: (disk) => [textOf(disk, 'vendor'), textOf(disk, 'model')].join(' ').trim() },
    { title: 'Kind', look: 'soft', cell: kindOf },
    {
      title: 'Serial',
      look: 'wide',
      cell: (disk) => html`<span class="mono">${textOf(disk, 'serial')}</span>`,
    },
  ];
  return card({
    title: 'Disks',
    aside: plural(disks.length, 'disk'),
    flush: true,
    body: table({ about: 'The disks', rows: disks.slice(0, MOST_ROWS), columns }),
  });
}

const kindOf = ({ rotational, tran }: JsonObject): string =>
  typeof tran === 'string' && tran !== ''
    ? tran
    : rotational === true
      ? 'hdd'
      : rotational === false
        ? 'ssd'
        : '';

const rowsIn = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];

function textOf(row: JsonObject, name: string): string {
  const value = row[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

const networkCard = (cards: readonly CardShown[]): Markup =>
  card({
    title: 'Network',
    aside: plural(cards.filter(({ neighbour }) => neighbour !== undefined).length, 'switch port') + ' known',
    flush: true,
    body: table({
      about: 'The network cards and their switch ports',
      rows: cards,
      columns: [
        { title: 'Card', isName: true, cell: ({ name, mac }) => (name === '' ? mac : name) },
        { title: 'MAC', cell: ({ mac }) => html`<span class="mono">${mac}</span>` },
        { title: 'Speed', look: 'number', cell: ({ mbps }) => (mbps === null ? '' : speedText(mbps)) },
        { title: 'Link', cell: ({ hasCarrier }) => linkOf(hasCarrier) },
        { title: 'Switch port', cell: neighbourText },
        { title: 'Addresses', look: 'wide', cell: ({ addresses }) => addresses.join(', ') },
      ],
    }),
  });

const linkOf = (hasCarrier: boolean | null): Markup | string =>
  hasCarrier === null ? '' : hasCarrier ? badge('up', 'good') : badge('down');

const neighbourText = ({ neighbour }: CardShown): Markup | string =>
  neighbour === undefined
    ? ''
    : html`<strong>${neighbour.switch}</strong> ${neighbour.port}
        ${neighbour.more === '' ? '' : html`<small>${neighbour.more}</small>`}`;

const firmwareCard = (firmware: HardwareParts['firmware']): Markup =>
  card({
    title: 'Firmware',
    flush: true,
    body: table({
      about: 'The versions of firmware',
      rows: firmware,
      columns: [
        { title: 'Component', isName: true, cell: ({ component }) => component },
        { title: 'Version', cell: ({ current_version: version }) => version },
        {
          title: 'First seen',
          look: 'soft',
          cell: ({ initial_version: first, current_version: version }) => (first === version ? '' : first),
        },
      ],
    }),
  });

const wholeCard = (inventory: JsonObject): Markup =>
  html`<details id="whole" class="card">
    <summary>The whole inventory as JSON</summary>
    <pre tabindex="0">${JSON.stringify(inventory, null, 2)}</pre>
  </details>`;

// The tab Overview of a machine: what it is made of, its last boot, what is on it, and what was seen of it last.
import type { ShownHardware } from '../../../conductor/inspection/hardware.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { MachineEvent } from '../../../model/records/machine-event.ts';
import type { ShownMachine } from '../../read/machines.ts';
import type { InstanceShown } from '../../read/node/instance.ts';
import type { Overview } from '../../read/node/overview.ts';
import {
  diskSummary,
  memorySummary,
  networkSummary,
  type PartSummary,
  processorSummary,
} from '../../read/node/summary.ts';
import { linkButton } from '../../kit/controls.ts';
import { html, type Markup, plural, timeOf } from '../../kit/markup.ts';
import { badge, card, emptyState, facts, notice } from '../../kit/surfaces.ts';
import { bootBar, bootLead } from './boot-bar.ts';
import { sensorCard } from './sensors.ts';
import { eventList } from './timeline.ts';

export interface OverviewParts extends Overview {
  readonly machine: ShownMachine;
  /** The node as the API shows it. */
  readonly record: JsonObject;
  /** Manufacturer, product name and serial number; undefined before the first inspection. */
  readonly vendor: JsonObject | undefined;
}

/** At least so many events are in view, also those before the last boot, and at most so many. */
const EVENTS = { least: 12, most: 40 };

export const overviewTab = (parts: OverviewParts): Markup =>
  html`<div class="stack">
    ${summaryCards(parts)} ${differences(parts.hardware)} ${bootCard(parts)}
    ${
      parts.mainSensors.length === 0
        ? ''
        : html`<div class="grid">
            ${parts.mainSensors.map((sensor) => sensorCard(sensor, parts.sensors))}
          </div>`
    }
    <div class="grid">${instanceCard(parts.instance)} ${identityCard(parts)}</div>
  </div>`;

function summaryCards({ parts, cards, machine }: OverviewParts): Markup {
  if (parts === undefined)
    return card({
      flush: true,
      body: emptyState({
        icon: 'chip',
        title: 'Not inspected yet',
        text: 'An inspection finds the processor, memory, disks and network cards of the machine.',
        ...(cards.length > 0 && {
          buttons: [
            linkButton(`/ui/nodes/${machine.uuid}/hardware`, {
              label: plural(cards.length, 'known network port'),
            }),
          ],
        }),
      }),
    });
  return html`<div class="grid">
    ${summaryCard('Processor', processorSummary(parts))} ${summaryCard('Memory', memorySummary(parts))}
    ${summaryCard('Disks', diskSummary(parts))} ${summaryCard('Network', networkSummary(cards))}
  </div>`;
}

const summaryCard = (part: string, { title, more }: PartSummary): Markup =>
  html`<section class="card part">
    <h2>${part}</h2>
    <p><b>${title === '' ? 'not known' : title}</b></p>
    <p><small>${more.filter((each) => each !== '').join(' · ')}</small></p>
  </section>`;

function differences(hardware: ShownHardware | undefined): Markup | string {
  if (hardware === undefined) return '';
  const { class: name, class_differences: differing, changes, compared_with: since } = hardware;
  const ofClass =
    name === null || differing.length === 0
      ? ''
      : notice('attention', html`<strong>Differs from class ${name}.</strong> ${differing.join('; ')}`);
  const drift =
    changes.length === 0
      ? ''
      : notice(
          'attention',
          html`<strong>Changed since the inspection of ${timeOf(since)}.</strong> ${changes.join('; ')}`,
        );
  return html`${ofClass} ${drift}`;
}

function bootCard({ course, timeline, machine }: OverviewParts): Markup {
  const { boot, earlier, missing } = timeline;
  const all = [...earlier, ...boot].toReversed();
  const shown = Math.min(Math.max(boot.length, EVENTS.least), EVENTS.most);
  const [newest, rest] = [all.slice(0, shown), all.slice(shown)];
  return card({
    title: 'The last boot',
    ...(course !== undefined && { aside: bootLead(course) }),
    body: html`${course === undefined ? '' : bootBar(course)}
    ${course?.isFromDisk === true ? html`<p>Then the machine boots from its disk, where the daemon does not see it.</p>` : ''}
    ${
      missing === undefined
        ? ''
        : html`<p class="${missing.late ? 'text-broken' : ''}">
            Next: <strong>${missing.hop}</strong>, usually ${Math.round(missing.usual)} s after power-on.
            Power-on was ${Math.round(missing.age)} s ago. ${missing.late ? badge('late', 'attention') : ''}
          </p>`
    }
    ${newest.length === 0 ? html`<p>Nothing was seen of this machine yet.</p>` : eventList(newest)}
    ${earlierEvents(rest)}`,
    footer: html`<a href="/ui/nodes/${machine.uuid}/timeline.txt">As text</a> ·
      <code>ironic-edge node timeline ${timeline.label} --follow</code>`,
  });
}

const earlierEvents = (events: readonly MachineEvent[]): Markup | string =>
  events.length === 0
    ? ''
    : html`<details id="earlier">
        <summary>${plural(events.length, 'earlier event')}</summary>
        ${eventList(events)}
      </details>`;

function instanceCard(instance: InstanceShown | undefined): Markup {
  if (instance === undefined)
    return card({ title: 'Instance', body: html`<p><small>There is no system on this machine.</small></p>` });
  const { name, hostname, image, digest, since, addresses, keys, uuid } = instance;
  return card({
    title: 'Instance',
    body: facts([
      ['Name', name],
      ['Host name', hostname],
      ['Image', html`${image} ${digest === '' ? '' : html`<small class="mono">sha256 ${digest}…</small>`}`],
      ['Deployed', since === null ? '' : html`${timeOf(since)} UTC`],
      ['Addresses', addresses.join(', ')],
      ['SSH keys', keys.join(', ')],
      ['UUID', uuid === null ? '' : html`<span class="mono">${uuid}</span>`],
    ]),
  });
}

function identityCard({ machine, record, vendor, cards }: OverviewParts): Markup {
  const model = ['manufacturer', 'product_name']
    .map((name) => textIn(vendor?.[name]))
    .join(' ')
    .trim();
  const { rack, unit, uuid } = machine;
  const traits = Array.isArray(record['traits']) ? record['traits'].map(String) : [];
  return card({
    title: 'Machine',
    body: facts([
      ['Model', model],
      ['Serial', textIn(vendor?.['serial_number'])],
      ['Place', unit === null ? rack : `${rack}, unit ${unit}`],
      ['Class', textIn(record['resource_class'])],
      ['Owner', textIn(record['owner'])],
      ['BMC', bmcAddress(record)],
      ['Driver', textIn(record['driver'])],
      ['MAC', cards.map(({ mac }) => mac).join(', ')],
      ['Traits', traits.length === 0 ? '' : html`${traits.map((trait) => html`${badge(trait)} `)}`],
      ['Description', textIn(record['description'])],
      ['Protected', record['protected'] === true ? textIn(record['protected_reason']) || 'yes' : ''],
      ['UUID', html`<span class="mono">${uuid}</span>`],
    ]),
  });
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A URL, as Redfish has it, is a link to the pages of the BMC. */
function bmcAddress(record: JsonObject): Markup | string {
  const given = Object.entries((record['driver_info'] ?? {}) as JsonObject);
  const address = textIn(given.find(([name]) => name.endsWith('_address'))?.[1]);
  return /^https?:\/\//.test(address)
    ? html`<a href="${address}" target="_blank" rel="noopener noreferrer">${address}</a>`
    : address;
}

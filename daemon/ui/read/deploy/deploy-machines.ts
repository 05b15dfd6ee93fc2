// Reads what the form Deploy offers for the chosen machines: images, profiles, keys, cards, disks, templates.
import { keepsInventories } from '../../../conductor/inspection/stored-inventory.ts';
import { diskSizeText } from '../../../model/hardware/amounts.ts';
import type { Image } from '../../../model/instance/image.ts';
import type { InstanceProfile } from '../../../model/instance/profile.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.ts';
import type { Node } from '../../../model/records/node.ts';
import type { Port } from '../../../model/records/port.ts';
import type { Choice } from '../../kit/fields.ts';
import { labelOf } from '../machines.ts';
import type { ReadServices } from '../services.ts';

export interface DeployMachine {
  readonly node: Node;
  readonly label: string;
  /** In the order of their MAC addresses, as cards are numbered. */
  readonly ports: readonly Port[];
}

export interface DeployOffers {
  readonly images: readonly Image[];
  readonly profiles: readonly InstanceProfile[];
  /** The ssh keys that profiles have. */
  readonly keys: readonly Choice[];
  /** The cards that all machines have, by number. */
  readonly cards: readonly Choice[];
  /** Root device hints, as JSON, that name a disk in each machine. */
  readonly disks: readonly Choice[];
  /** Why no software RAID is offered; undefined if it is. */
  readonly noRaid: string | undefined;
  /** The deploy templates whose traits all machines have. */
  readonly templates: readonly string[];
}

const ALL = { limit: 1000, sortKey: 'name', descending: false } as const;

export function deployMachine({ db }: Pick<ReadServices, 'db'>, node: Node): DeployMachine {
  const ports = db.ports.ofNode(node.uuid).toSorted((a, b) => (a.address < b.address ? -1 : 1));
  return { node, label: labelOf(node), ports };
}

export function readDeployOffers(services: ReadServices, machines: readonly DeployMachine[]): DeployOffers {
  const { db } = services;
  const profiles = db.profiles.list(db.profiles.columns, [], ALL);
  const templates = db.deployTemplates.list(['name'], [], ALL).map(({ name }) => name);
  return {
    images: db.images.list(db.images.columns, [], ALL),
    profiles,
    keys: [...new Set(profiles.flatMap(({ ssh_keys: keys }) => keys))].map((value) => ({
      value,
      label: keyLabel(value),
    })),
    cards: cardsOf(machines),
    disks: inAll(machines.map(({ node }) => diskOffers(services, node, machines.length === 1))),
    noRaid: raidObstacle(machines),
    templates: templates.filter((name) => machines.every(({ node }) => node.traits.includes(name))),
  };
}

/** The comment of a key, which people know it by; without one, its type and its end. */
function keyLabel(line: string): string {
  const words = line.split(/\s+/);
  const at = words.findIndex((word) => word.startsWith('AAAA'));
  const [type = '', base64 = ''] = [words[at - 1], words[at]];
  const comment = words.slice(at + 1).join(' ');
  return `${comment === '' ? `...${base64.slice(-8)}` : comment} (${type.replace('ssh-', '')})`;
}

function cardsOf(machines: readonly DeployMachine[]): readonly Choice[] {
  const count = Math.min(...machines.map(({ ports }) => ports.length));
  return Array.from({ length: count }, (_, index) => {
    const ports = machines.flatMap(({ ports: all }) => all[index] ?? []);
    const [first] = ports;
    const others = ports.length === 1 ? '' : ` and ${ports.length - 1} more`;
    const place = first === undefined ? '' : switchOf(first);
    return {
      value: String(index + 1),
      label: `card ${index + 1}: ${first?.address ?? ''}${others}${place === '' ? '' : ` on ${place}`}`,
    };
  });
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Where LLDP says that the port is plugged in; empty if it is not known. */
const switchOf = ({ local_link_connection: link }: Port): string =>
  [
    textOf(link['switch_info']) || textOf(link['hostname']) || textOf(link['switch_id']),
    textOf(link['port_id']),
  ]
    .filter((text) => text !== '')
    .join(' ');

/** Says whether the cards of each machine are plugged into one switch; undefined where LLDP does not tell. */
export function sameSwitch(
  machines: readonly DeployMachine[],
  cards: readonly string[],
): { readonly isSame: boolean; readonly text: string } | undefined {
  if (cards.length < 2) return undefined;
  const found = machines.map(({ label, ports }) => {
    const ids = cards.map((card) => textOf(ports[Number(card) - 1]?.local_link_connection['switch_id']));
    return { label, isKnown: ids.every((id) => id !== ''), isSame: new Set(ids).size === 1 };
  });
  if (!found.every(({ isKnown }) => isKnown)) return undefined;
  const apart = found.filter(({ isSame }) => !isSame).map(({ label }) => label);
  return apart.length === 0
    ? { isSame: true, text: 'same switch by LLDP' }
    : { isSame: false, text: `on different switches by LLDP: ${apart.slice(0, 5).join(', ')}` };
}

function diskOffers(services: ReadServices, { uuid }: Node, isAlone: boolean): readonly Choice[] {
  const stored = keepsInventories(services) ? services.db.inventory.inventoryOf(uuid) : undefined;
  const { disks = [] } = stored === undefined ? {} : (JSON.parse(stored) as JsonObject);
  const known = Array.isArray(disks) ? disks.filter(isJsonObject) : [];
  return known.flatMap((disk) => offersOfDisk(disk, isAlone));
}

/** Serial numbers and names tell the disks of one machine apart; models and kinds are those of many machines. */
function offersOfDisk(disk: JsonObject, isAlone: boolean): readonly Choice[] {
  const { size, model, serial, name, rotational } = disk;
  const about = [typeof size === 'number' ? diskSizeText(size) : '', textOf(model)].filter(
    (each) => each !== '',
  );
  const offer = (hint: string, value: string | boolean, label: string) => ({
    value: JSON.stringify({ [hint]: value }),
    label: [label, ...about].join(', '),
  });
  if (isAlone && textOf(serial) !== '') return [offer('serial', textOf(serial), `serial ${textOf(serial)}`)];
  if (isAlone) return textOf(name) === '' ? [] : [offer('name', textOf(name), textOf(name))];
  return [
    ...(textOf(model) === '' ? [] : [offer('model', textOf(model), 'model')]),
    ...(rotational === false
      ? [{ value: '{"rotational":false}', label: 'the smallest without rotating parts' }]
      : []),
  ];
}

/** The offers that each of the lists has. */
function inAll(lists: readonly (readonly Choice[])[]): readonly Choice[] {
  const [first = [], ...others] = lists;
  const unique = [...new Map(first.map((offer) => [offer.value, offer])).values()];
  return unique.filter(({ value }) => others.every((list) => list.some((offer) => offer.value === value)));
}

function raidObstacle(machines: readonly DeployMachine[]): string | undefined {
  const other = machines.find(({ node }) => node.raid_interface !== 'agent');
  if (other === undefined) return undefined;
  const { raid_interface: name } = other.node;
  return `the RAID interface of ${other.label} is ${name ?? 'not set'}; software RAID is made by the interface agent`;
}

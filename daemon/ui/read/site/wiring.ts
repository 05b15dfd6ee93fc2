// Reads which machine is plugged into which port of which switch: from the ports' local_link_connection, and for machines whose
// ports have none, from what their network cards heard by LLDP at the last inspection.
import { naturalOrder } from '../../../lib/natural-order.ts';
import { isJsonObject } from '../../../model/json.ts';
import type { ProvisionState } from '../../../model/states/provision-states.ts';
import { labelOf } from '../machines.ts';
import type { ReadServices } from '../services.ts';

export interface SwitchLink {
  /** The port of the switch, such as `Ethernet1/12`. */
  readonly port: string;
  readonly machine: string;
  readonly label: string;
  readonly state: ProvisionState;
  /** The MAC address of the machine's card, or the name of its network interface. */
  readonly card: string;
}

export interface SwitchShown {
  /** The name that the switch announces, or else its id. */
  readonly name: string;
  readonly id: string | undefined;
  /** In the order of the switch's ports. */
  readonly links: readonly SwitchLink[];
}

export interface Wiring {
  readonly switches: readonly SwitchShown[];
  /** Machines of which no switch port is known. */
  readonly unlinked: readonly { readonly uuid: string; readonly label: string }[];
}

interface FoundLink extends SwitchLink {
  readonly switchName: string | undefined;
  readonly switchId: string | undefined;
}

const ALL = { limit: 5000, sortKey: 'name', descending: false } as const;
const ALL_PORTS = { limit: 40_000, sortKey: 'id', descending: false } as const;

export function readWiring({ db }: ReadServices): Wiring {
  const nodes = db.nodes.list(['uuid', 'name', 'provision_state'], [], ALL);
  const about = new Map(
    nodes.map((node) => [
      node.uuid,
      { machine: node.uuid, label: labelOf(node), state: node.provision_state },
    ]),
  );
  const ports = db.ports.list(['node_uuid', 'address', 'local_link_connection'], [], ALL_PORTS);
  const ofPorts = ports.flatMap(({ node_uuid: node, address, local_link_connection: link }) => {
    const machine = about.get(node);
    return machine === undefined ? [] : linkIn(link, CONNECTION, { ...machine, card: address });
  });
  const known = new Set(ofPorts.map(({ machine }) => machine));
  const others = nodes.filter(({ uuid }) => !known.has(uuid)).map(({ uuid }) => uuid);
  const heard = db.inventory.lldpOf(others).flatMap(({ node, lldp }) => {
    const cards: unknown = JSON.parse(lldp);
    const machine = about.get(node);
    if (machine === undefined || !isJsonObject(cards)) return [];
    return Object.entries(cards).flatMap(([card, facts]) => linkIn(facts, HEARD, { ...machine, card }));
  });
  const links = [...ofPorts, ...heard];
  const linked = new Set(links.map(({ machine }) => machine));
  return {
    switches: switchesOf(links),
    unlinked: nodes
      .filter(({ uuid }) => !linked.has(uuid))
      .map((node) => ({ uuid: node.uuid, label: labelOf(node) })),
  };
}

interface LinkNames {
  readonly name: string;
  readonly id: string;
  readonly port: string;
}

const CONNECTION: LinkNames = { name: 'switch_info', id: 'switch_id', port: 'port_id' };
const HEARD: LinkNames = { name: 'switch_system_name', id: 'switch_chassis_id', port: 'switch_port_id' };

/** Returns no link if the facts lack the port, or both the name and the id of the switch. */
function linkIn(facts: unknown, names: LinkNames, machine: Omit<SwitchLink, 'port'>): readonly FoundLink[] {
  if (!isJsonObject(facts)) return [];
  const text = (name: string) => {
    const value = facts[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [switchName, switchId, port] = [text(names.name), text(names.id), text(names.port)];
  if (port === undefined || (switchName ?? switchId) === undefined) return [];
  return [{ ...machine, port, switchName, switchId }];
}

function switchesOf(links: readonly FoundLink[]): readonly SwitchShown[] {
  const groups = Map.groupBy(links, ({ switchId, switchName }) => switchId ?? switchName ?? '');
  return [...groups]
    .map(([key, found]) => ({
      name: found.find(({ switchName }) => switchName !== undefined)?.switchName ?? key,
      id: found[0]?.switchId,
      links: found.toSorted((a, b) => naturalOrder(a.port, b.port) || naturalOrder(a.label, b.label)),
    }))
    .toSorted((a, b) => naturalOrder(a.name, b.name));
}

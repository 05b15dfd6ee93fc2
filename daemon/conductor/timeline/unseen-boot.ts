// What `last_error` says when the boot servers saw nothing of a machine that should have booted from them.
import { UNKNOWN_SCRIPT } from '../../boot/scripts/ipxe.ts';
import type { MachineEvent } from '../../model/records/machine-event.ts';
import type { Node } from '../../model/records/node.ts';
import type { TimelineServices } from './services.ts';

const MACHINES_READ = 200;
const NAMED = 3;

/**
 * `events` are the node's boot events since `begun` (milliseconds since the epoch). Returns undefined when the daemon does not boot
 * the machine.
 */
export function unseenBoot(
  services: TimelineServices,
  node: Node,
  { events, begun }: { readonly events: readonly MachineEvent[]; readonly begun: number },
): string | undefined {
  const macs = services.db.ports.ofNode(node.uuid).map(({ address }) => address);
  if (!bootsFromHere(services, node, macs)) return undefined;
  const others = machinesWithoutNode(services, begun);
  const servesDhcp = services.config.dhcp_server.subnet.length > 0;
  const request = servesDhcp ? 'a DHCP request' : 'a request for a boot file';
  const missing =
    macs.length > 0
      ? `${request} of any of its ports (${macs.join(', ')})`
      : `${others === '' ? request : 'a report of its ramdisk'}; the node has no port yet, so its machine counts as a machine without a node`;
  const checks = [
    'cable, switch port and VLAN',
    'that the firmware boots from the network',
    ...(macs.length > 0 ? ['that these are the MAC addresses of its network cards'] : []),
    ...(servesDhcp ? [] : ['what the DHCP server of that network tells it to boot']),
  ];
  const meanwhile = others === '' ? '' : ` Machines without a node that were seen meanwhile: ${others}.`;
  return `Last seen: ${powerIn(node, events)}. Missing: ${missing}.${meanwhile} Check ${checks.join(', ')}.`;
}

/** Whether the daemon boots the machine: either for the node or, if the node has no ports, as an unknown machine. */
const bootsFromHere = (
  { networkBoots, served }: TimelineServices,
  { uuid }: Node,
  macs: readonly string[],
): boolean =>
  networkBoots.of(uuid) !== undefined || (macs.length === 0 && served.find(UNKNOWN_SCRIPT) !== undefined);

function powerIn({ power_state: state }: Node, events: readonly MachineEvent[]): string {
  const change = events.findLast(({ hop, failed }) => hop === 'power' && !failed);
  return change === undefined
    ? `the machine in power state "${state}"`
    : `${change.at} power: ${change.text}`;
}

/** The first few machines seen since `begun`, each with its last event, and how many more there are. */
function machinesWithoutNode({ db }: TimelineServices, begun: number): string {
  const seen = db.machineEvents
    .unknownMachines(MACHINES_READ)
    .filter(({ last_seen: at }) => Date.parse(at) >= begun);
  const named = seen.slice(0, NAMED).map(({ machine, last_event: event }) => `${machine} (${event})`);
  return [...named, ...(seen.length > NAMED ? [`${seen.length - NAMED} more`] : [])].join(', ');
}

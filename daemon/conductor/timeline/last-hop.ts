// What `last_error` says of a machine's boot after a timeout: the last hop (`dhcp`, `tftp`, `http`, ...) that was seen, and what
// should have followed it.
import type { Hop, MachineEvent } from '../../model/records/machine-event.ts';
import type { Node } from '../../model/records/node.ts';
import { unseenBoot } from './unseen-boot.ts';
import type { TimelineServices } from './services.ts';

type BootHop = Exclude<Hop, 'wait' | 'bmc' | 'console'>;

interface BootEvent extends MachineEvent {
  readonly hop: BootHop;
}

const isBootEvent = (event: MachineEvent): event is BootEvent =>
  event.hop !== 'wait' && event.hop !== 'bmc' && event.hop !== 'console';

/** What should follow each hop, and where to look when it does not follow. */
const MISSING: Readonly<Record<BootHop, string>> = {
  power:
    'a DHCP request from the machine. Check that it boots from a network card on the provisioning network: cable, switch port and VLAN, boot order, and the MAC addresses of its ports',
  dhcp: 'its request for the boot loader. Check that the firmware takes the offered file (architecture, UEFI or BIOS, Secure Boot) and reaches the boot server',
  proxydhcp:
    'its request for the boot loader. Check that the other DHCP server gave it an address, and that the firmware accepts ProxyDHCP offers',
  tftp: "its next file over HTTP, or its ramdisk's first request to this service. Check that the boot loader runs (the machine's console shows it) and that the machine reaches the HTTP boot server and this service",
  http: "its ramdisk's first request to this service. Check the machine's console, that kernel and ramdisk fit the machine, and that the ramdisk reaches this service",
  lookup:
    "its agent's heartbeat. Read the agent's journal in the ramdisk, and check that the agent reaches this service",
  inspection: "its agent's heartbeat. Read the agent's journal in the ramdisk",
  heartbeat:
    "its agent's next heartbeat. Read the agent's journal in the ramdisk, and look at the machine's console",
  agent:
    "its agent's next heartbeat. Read the agent's journal in the ramdisk, and look at the machine's console",
};
const BEFORE_BOOT: ReadonlySet<Hop> = new Set(['power']);
const BOOT_HOPS: ReadonlySet<Hop> = new Set(['dhcp', 'proxydhcp', 'tftp', 'http']);
const EVENTS_READ = 200;

/**
 * Returns what the timeline says of a boot that began at `since` (ISO 8601): `Last seen: ... Missing: ...`, or that nothing of
 * the boot was seen; before that, that the machine is in a boot loop. Undefined when another server boots the machine.
 */
export function lastHopSeen(services: TimelineServices, node: Node, since: string): string | undefined {
  const { bootLoops, db } = services;
  const hop = lastHop(services, node, since);
  const [loop] = db.ports.ofNode(node.uuid).flatMap(({ address }) => bootLoops.loopOf(address) ?? []);
  return loop === undefined || hop === undefined ? hop : `The machine ${loop}. ${hop}`;
}

function lastHop(services: TimelineServices, node: Node, since: string): string | undefined {
  const { timeline, db } = services;
  timeline.flush();
  const begun = Date.parse(since);
  const events = db.machineEvents
    .ofNode(node.uuid, { since: 0, limit: EVENTS_READ })
    .filter(isBootEvent)
    .filter(({ at }) => Date.parse(at) >= begun);
  const seen = new Set(events.map(({ hop }) => hop));
  if (seen.isSubsetOf(BEFORE_BOOT)) return unseenBoot(services, node, { events, begun });
  const last = furthest(events);
  if (last === undefined || seen.isDisjointFrom(BOOT_HOPS)) return undefined;
  return `Last seen: ${described(last)}. Missing: ${last.failed ? WHAT_FAILED : MISSING[last.hop]}.`;
}

const ADDRESS_HOPS: ReadonlySet<Hop> = new Set(['dhcp', 'proxydhcp']);

/**
 * Returns the last event. When the machine asked for files, later DHCP requests are skipped: the boot loader or ramdisk sent
 * these requests, so they say nothing new.
 */
function furthest(events: readonly BootEvent[]): BootEvent | undefined {
  const hasAsked = events.some(({ hop }) => hop === 'tftp' || hop === 'http');
  return events.findLast(({ hop }) => !(hasAsked && ADDRESS_HOPS.has(hop)));
}

const WHAT_FAILED = 'what that request asked for. Correct the cause and start the operation again';

const described = ({ at, hop, mac, address, text }: MachineEvent): string => {
  const machine = mac ?? address;
  return `${at} ${hop}: ${machine === null ? '' : `${machine} `}${text}`;
};

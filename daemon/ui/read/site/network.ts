// Reads what the view Network shows of DHCP: the subnets and their pools, the leases, other DHCP servers, and unknown clients.
import { servedSubnets, type ServedSubnet } from '../../../conductor/boot/served-subnets.ts';
import type { DhcpRival } from '../../../db/tables/boot/dhcp-rivals.ts';
import type { LeaseRecord } from '../../../db/tables/boot/dhcp-leases.ts';
import { memberCondition } from '../../../db/tables/table.ts';
import type { UnknownMachine } from '../../../model/records/machine-event.ts';
import { readNames } from '../machines.ts';
import type { ReadServices } from '../services.ts';

export interface ShownLease {
  readonly address: string;
  /** Null while no machine may have the address, because another host uses it. */
  readonly mac: string | null;
  readonly machine: { readonly uuid: string; readonly label: string } | undefined;
  /** When the machine got or renewed it, as ISO 8601; null for an address without a machine. */
  readonly since: string | null;
  /** ISO 8601. */
  readonly until: string;
  /** What the DHCP server last noted of the machine; undefined where it keeps nothing. */
  readonly last: { readonly at: string; readonly text: string; readonly failed: boolean } | undefined;
}

export interface BootService {
  readonly name: string;
  /** Where it is, or which option switches it on. */
  readonly detail: string;
  readonly isOn: boolean;
  /** What it lacks to be served; undefined if nothing is known to be missing. */
  readonly missing: string | undefined;
}

export interface ShownNetwork {
  readonly mode: 'server' | 'proxy';
  readonly subnets: readonly ServedSubnet[];
  readonly services: readonly BootService[];
  readonly leases: readonly ShownLease[];
  /** How many leases there are, and how many of them fit the text that was searched for. */
  readonly count: { readonly all: number; readonly found: number };
  readonly rivals: readonly DhcpRival[];
  readonly unknown: readonly UnknownMachine[];
}

export const MOST_LEASES = 100;
const MOST_UNKNOWN_CLIENTS = 50;
const MOST_PORTS = 40_000;

/** `query`: a part of an address, of a MAC address or of a machine's name; empty for all leases. */
export function readNetwork(services: ReadServices, query: string): ShownNetwork {
  const { config, db, clock, timeline } = services;
  timeline.flush();
  const now = clock.now();
  const valid = [...db.dhcpLeases.list(), ...db.dhcp6Leases.list()]
    .filter(({ expires_at: until }) => until > now)
    .toSorted((one, other) => one.expires_at - other.expires_at);
  const machineOfMac = machinesByMac(services, valid);
  const wanted = query.toLowerCase();
  const found = valid.filter(({ address, mac }) =>
    [address, mac, machineOfMac(mac)?.label].some((text) => text?.toLowerCase().includes(wanted) === true),
  );
  const shown = found.toReversed().slice(0, MOST_LEASES);
  const last = db.machineEvents.newestDhcpOf(shown.flatMap(({ mac }) => mac ?? []));
  return {
    mode: config.dhcp_server.mode,
    subnets: servedSubnets(config.dhcp_server, valid).map((subnet) => withRelays(services, subnet)),
    services: bootServices(services),
    leases: shown.map(({ address, mac, expires_at: until }) => ({
      address,
      mac,
      machine: machineOfMac(mac),
      since: mac === null ? null : isoTime(until - config.dhcp_server.lease_time * 1000),
      until: isoTime(until),
      last: mac === null ? undefined : last.get(mac),
    })),
    count: { all: valid.length, found: found.length },
    rivals: db.dhcpRivals.recent(now),
    unknown: db.machineEvents.unknownMachines(MOST_UNKNOWN_CLIENTS).filter(({ ignored }) => !ignored),
  };
}

/**
 * Without an interface of its own, an IPv4 subnet is served while the address is there that relays send requests to. Relays of DHCPv6
 * send to the interfaces of other subnets.
 */
function withRelays({ links }: ReadServices, subnet: ServedSubnet): ServedSubnet {
  const missing = [...links.missing].find(([what]) => what.startsWith('DHCP relays'))?.[1];
  return subnet.interface === undefined && missing !== undefined && !subnet.cidr.includes(':')
    ? { ...subnet, missing }
    : subnet;
}

const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

function machinesByMac(services: ReadServices, leases: readonly LeaseRecord[]) {
  const macs = leases.flatMap(({ mac }) => mac ?? []);
  const names = readNames(services);
  const paging = { limit: MOST_PORTS, sortKey: 'id', descending: false } as const;
  const ports = services.db.ports.list(['address', 'node_uuid'], [memberCondition('address', macs)], paging);
  const byMac = new Map(
    ports.map(({ address, node_uuid: uuid }) => [address, { uuid, label: names.get(uuid) ?? uuid }]),
  );
  return (mac: string | null) => byMac.get(mac ?? '');
}

function bootServices({ config, links }: ReadServices): readonly BootService[] {
  const { tftp_server: tftp, boot_http: http, ramdisk } = config;
  const missingOf = (prefix: string) => [...links.missing].find(([what]) => what.startsWith(prefix))?.[1];
  return [
    {
      name: 'TFTP',
      isOn: tftp.enabled,
      detail: tftp.enabled ? `${tftp.addresses.join(', ')}, port ${tftp.port}` : '[tftp_server] enabled',
      missing: missingOf('TFTP at'),
    },
    {
      name: 'Boot HTTP',
      isOn: http.port !== null,
      detail: http.port === null ? '[boot_http] port' : `${http.host_ip}, port ${http.port}`,
      missing: missingOf('boot HTTP'),
    },
    {
      name: 'Ramdisk listener',
      isOn: ramdisk.port !== null,
      detail: ramdisk.port === null ? '[ramdisk] port' : `${ramdisk.host_ip}, port ${ramdisk.port}`,
      missing: missingOf('ramdisk listener'),
    },
  ];
}

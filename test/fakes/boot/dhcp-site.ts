// A DHCP server in this process, with a real database and a fake clock, and the DHCP messages that machines send to it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { BootEvent } from '../../../daemon/boot/boot-event.ts';
import {
  type BootChoice,
  type BootFor,
  type BootQuestion,
  firstBootFile,
} from '../../../daemon/boot/boot-choice.ts';
import { BootLoops } from '../../../daemon/boot/boot-loops.ts';
import { awaitsReport } from '../../../daemon/boot/what-boots.ts';
import { IPV4_LEASES } from '../../../daemon/boot/dhcp/addresses/lease.ts';
import { AddressLeases } from '../../../daemon/boot/dhcp/addresses/leases.ts';
import { Neighbours } from '../../../daemon/boot/dhcp/addresses/neighbours.ts';
import { knownMachines } from '../../../daemon/boot/dhcp/known-machines.ts';
import { addressesValue, optionCode, textValue } from '../../../daemon/boot/dhcp/options.ts';
import type { Destination } from '../../../daemon/boot/dhcp/reply.ts';
import type { DhcpHint } from '../../../daemon/boot/dhcp/requests/bmc-hint.ts';
import { type ReportParts, Reports } from '../../../daemon/boot/dhcp/reports.ts';
import { DhcpServer } from '../../../daemon/boot/dhcp/server.ts';
import { Turn } from '../../../daemon/boot/dhcp/turn.ts';
import {
  decodeMessage,
  type DhcpMessage,
  encodeMessage,
  messageType,
} from '../../../daemon/boot/dhcp/wire.ts';
import { withOptions } from '../../../daemon/config/dhcp-options/subnets-with-options.ts';
import { type DhcpSubnet, readDhcpSubnet } from '../../../daemon/config/dhcp-subnet.ts';
import { bootProtocols } from '../../../daemon/model/machine/boot-protocols.ts';
import { createDatabase, type Database } from '../../../daemon/db/database.ts';
import { ipv4Text, parseIpv4 } from '../../../daemon/lib/network/ipv4.ts';
import { createLogger } from '../../../daemon/lib/logger.ts';
import type { JsonObject } from '../../../daemon/model/json.ts';
import { fakeClock, type FakeClock, settled } from '../clock.ts';
import { fakeNode } from '../task.ts';

export const SERVER = '10.0.0.1';
/** The address of the server on another of its interfaces. */
export const ELSEWHERE = '10.9.0.1';
export const SUBNET = `10.0.0.0/24 range=10.0.0.50-10.0.0.59 router=10.0.0.254 dns=10.0.0.2 interface=br0`;

/** The transaction ID of the server's own search for other servers. */
export const SEARCH = 0x5ea_4c4;

/** Returns an IPv4 address as a number; throws when `text` is not an IPv4 address. */
export function ip(text: string): number {
  const address = parseIpv4(text);
  if (address === undefined) throw new Error(`${text} is not an IP address`);
  return address;
}

export function subnetOf(text: string): DhcpSubnet {
  const reading = readDhcpSubnet(text);
  if (reading.kind === 'unreadable') throw new Error(reading.reason);
  return reading.value;
}

/** A MAC address for each number: 52:54 and the four bytes of the number. */
export const mac = (number: number): string =>
  `52:54:${(number + 0x1_00_00_00_00).toString(16).slice(1).replaceAll(/../g, ':$&').slice(1)}`;

type OptionList = readonly (readonly [code: number, value: Uint8Array | string])[];

export const firmware = (vendorClass: 'PXEClient' | 'HTTPClient', architecture: number): OptionList => [
  [optionCode.vendorClass, `${vendorClass}:Arch:${String(architecture).padStart(5, '0')}:UNDI:003016`],
  [optionCode.architecture, Uint8Array.of(architecture >> 8, architecture & 255)],
];
export const BIOS = firmware('PXEClient', 0);
export const UEFI = firmware('PXEClient', 7);
export const UEFI_HTTP = firmware('HTTPClient', 16);
export const IPXE: OptionList = [...BIOS, [optionCode.userClass, 'iPXE']];

export function requestOf(
  client: string,
  type: keyof typeof messageType,
  more: Partial<Omit<DhcpMessage, 'options'>> & { readonly options?: OptionList } = {},
): DhcpMessage {
  const { options = [], ...header } = more;
  return {
    op: 'request',
    hardwareType: 1,
    hardwareAddress: Buffer.from(client.replaceAll(':', ''), 'hex'),
    hops: 0,
    transactionId: 0x1234_5678,
    flags: 0,
    clientAddress: 0,
    yourAddress: 0,
    nextServer: 0,
    relay: 0,
    file: '',
    ...header,
    options: new Map([
      [optionCode.messageType, Uint8Array.of(messageType[type])],
      ...options.map(
        ([code, value]) => [code, typeof value === 'string' ? textValue(value) : value] as const,
      ),
    ]),
  };
}

/** The options of a client that accepts the offer of `address`. */
export const choosing = (address: string, server = SERVER): OptionList => [
  [optionCode.requestedAddress, addressesValue([ip(address)])],
  [optionCode.serverId, addressesValue([ip(server)])],
];

export interface Sent {
  readonly type: string | undefined;
  readonly address: string;
  readonly to: string;
  readonly message: DhcpMessage;
  readonly bytes: Uint8Array;
}

export interface DhcpSite {
  readonly db: Database;
  readonly clock: FakeClock;
  readonly events: BootEvent[];
  /** What machines without a port said of themselves. */
  readonly hints: DhcpHint[];
  /** Messages of warnings and errors. */
  readonly warnings: string[];
  readonly leases: AddressLeases;
  readonly loops: BootLoops;
  /** How often a message made the server search for other servers. */
  readonly searches: () => number;
  /** Sends the message and advances the clock while the server probes addresses. Resolves to the server's replies. */
  readonly say: (message: DhcpMessage | Uint8Array) => Promise<readonly Sent[]>;
  /** Sends DISCOVER, and REQUEST for the offered address. Resolves to the acknowledged address, or undefined. */
  readonly boot: (client: string, options?: OptionList) => Promise<string | undefined>;
  /** Enrols a node with a port. */
  readonly enrol: (
    client: string,
    more?: { readonly pxe_enabled?: boolean; readonly extra?: JsonObject; readonly boot?: string },
  ) => void;
  /** Starts a new server on the same database and clock, as after a kill. */
  readonly restart: () => DhcpSite;
}

interface SiteOptions {
  readonly subnets?: readonly string[];
  /** The values of [dhcp_server] options. */
  readonly options?: readonly string[];
  readonly bootFor?: BootFor;
  readonly knownMachinesOnly?: boolean;
  /** Whether BMCs are in the subnets. */
  readonly hasBmcs?: boolean;
  readonly leaseSeconds?: number;
  /** By IP address, the MAC address of the host that uses it; if set, addresses are probed before they are offered. */
  readonly neighbours?: Readonly<Record<string, string>>;
  /** The neighbours that the kernel knows already. */
  readonly remembered?: Readonly<Record<string, string>>;
  readonly advertise?: () => void;
}

export function dhcpSite(t: Pick<TestContext, 'after'>, options: SiteOptions = {}): DhcpSite {
  const folder = mkdtempSync(join(tmpdir(), 'dhcp-site-'));
  const db = createDatabase(join(folder, 'db.sqlite'));
  t.after(() => {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return siteOn(db, fakeClock(), options);
}

/** Nodes boot by the protocol that their boot interface is named after, machines without a node by iPXE. */
function byBootInterface(db: Database, question: BootQuestion): BootChoice | undefined {
  const { node, serverAddress } = question;
  const name = node === undefined ? 'ipxe' : db.nodes.get(node.uuid)?.boot_interface;
  const protocol = bootProtocols.find((each) => each === name);
  return protocol && firstBootFile(question, `http://${serverAddress}`, protocol);
}

/** The reports of a DHCP server, and what they say. */
export function noted(parts: Pick<ReportParts, 'db' | 'clock' | 'loops' | 'machines'>) {
  const [events, hints, warnings]: [BootEvent[], DhcpHint[], string[]] = [[], [], []];
  const log = createLogger({
    level: 'warn',
    mask: (fields) => fields,
    destination: { write: (line) => void warnings.push(String((JSON.parse(line) as { msg: unknown }).msg)) },
  });
  const reports = new Reports({
    ...parts,
    log,
    record: (event) => void events.push(event),
    hear: (hint) => void hints.push(hint),
  });
  return { events, hints, warnings, log, reports };
}

function siteOn(db: Database, clock: FakeClock, options: SiteOptions): DhcpSite {
  const { leaseSeconds = 3600, knownMachinesOnly = true } = options;
  const subnet = options.subnets ?? [SUBNET];
  const subnets = withOptions(subnet.map(subnetOf), {
    subnet,
    mode: 'server',
    options: options.options ?? [],
  });
  const sent: Sent[] = [];
  const machines = knownMachines(db);
  const loops = new BootLoops(clock);
  const { events, hints, warnings, log, reports } = noted({ db, clock, loops, machines });
  const leases = new AddressLeases({
    family: IPV4_LEASES,
    subnets,
    db,
    clock,
    leaseSeconds,
    isKnown: (client) => machines.byMac(client) !== undefined,
    reservedFor: (address) => machines.reservedFor(address),
  });
  leases.exclude(ip(SERVER));
  let searches = 0;
  const table = new Map(Object.entries(options.remembered ?? {}));
  const server = new DhcpServer(
    {
      subnets,
      machines,
      leases,
      bootFor: options.bootFor ?? ((question) => byBootInterface(db, question)),
      servesUnknown: () => !knownMachinesOnly || awaitsReport(db),
      isForBmcs: () => options.hasBmcs === true,
      awaitsReport: () => awaitsReport(db),
      leaseSeconds,
      ownAddresses: new Set([ip(SERVER), ip(ELSEWHERE)]),
      turn: new Turn(leases, log),
      loops,
      reports,
    },
    {
      name: 'br0',
      address: ip(SERVER),
      send: (bytes, to) => void sent.push(sentOf(bytes, to)),
      neighbours:
        options.neighbours &&
        new Neighbours({
          clock,
          send: (_, { address }) => {
            const user = options.neighbours?.[ipv4Text(address)];
            if (user === undefined) table.delete(ipv4Text(address));
            else table.set(ipv4Text(address), user);
          },
          readTable: async () => [...table].map(([each, user]) => `${each} 0x1 0x2 ${user} * br0\n`).join(''),
        }),
      search: { hint: () => (searches += 1), isAnswer: (reply) => reply.transactionId === SEARCH },
      advertise: options.advertise,
    },
  );
  const say: DhcpSite['say'] = async (message) => {
    server.receive('op' in message ? encodeMessage(message) : message);
    // each address that the kernel remembers delays the replies by a turn of the event loop
    for (let turn = 0; turn < 4; turn += 1) await settled();
    // each probe of an address that the kernel does not remember delays the replies by 0.1 s
    while ((clock.nextDue ?? Infinity) <= clock.now() + 100) {
      await clock.advance(100);
      await settled();
    }
    return sent.splice(0);
  };
  return {
    db,
    clock,
    events,
    hints,
    warnings,
    loops,
    leases,
    searches: () => searches,
    say,
    async boot(client, words = []) {
      const [offer] = await say(requestOf(client, 'discover', { options: words }));
      if (offer === undefined) return undefined;
      const chosen = [...words, ...choosing(offer.address)];
      const [answer] = await say(requestOf(client, 'request', { options: chosen }));
      return answer?.type === 'acknowledge' ? answer.address : undefined;
    },
    enrol(client, { boot = 'ipxe', ...port } = {}) {
      const node = fakeNode({ uuid: crypto.randomUUID(), name: null, boot_interface: boot });
      db.nodes.insert(node);
      db.ports.insert(fakePort(node.uuid, client, port));
    },
    restart: () => siteOn(db, clock, options),
  };
}

/** A port of the node, with all its fields. */
export const fakePort = (
  node_uuid: string,
  address: string,
  more: { readonly pxe_enabled?: boolean; readonly extra?: JsonObject } = {},
) => ({
  uuid: crypto.randomUUID(),
  address,
  node_uuid,
  extra: {},
  internal_info: {},
  pxe_enabled: true,
  local_link_connection: {},
  portgroup_uuid: null,
  physical_network: null,
  is_smartnic: false,
  name: null,
  description: null,
  vendor: null,
  category: null,
  available_for_dynamic_portgroup: true,
  created_at: null,
  updated_at: null,
  ...more,
});

function sentOf(bytes: Uint8Array, to: Destination): Sent {
  const decoded = decodeMessage(bytes);
  if (decoded.kind === 'malformed') throw new Error(`the server sent a malformed message: ${decoded.reason}`);
  const code = decoded.message.options.get(optionCode.messageType)?.[0];
  return {
    type: Object.entries(messageType).find(([, value]) => value === code)?.[0],
    address: ipv4Text(decoded.message.yourAddress),
    to: `${ipv4Text(to.address)}:${to.port}`,
    message: decoded.message,
    bytes,
  };
}

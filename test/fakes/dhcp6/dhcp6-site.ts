// A DHCPv6 server in this process, with a real database and a fake clock, and the messages that machines send to it.
import type { TestContext } from 'node:test';
import { firstBootFile } from '../../../daemon/boot/boot-choice.ts';
import { IPV6_LEASES } from '../../../daemon/boot/dhcp/addresses/lease.ts';
import { AddressLeases } from '../../../daemon/boot/dhcp/addresses/leases.ts';
import { knownMachines } from '../../../daemon/boot/dhcp/known-machines.ts';
import { Turn } from '../../../daemon/boot/dhcp/turn.ts';
import { serverIdOf } from '../../../daemon/boot/dhcp6/dhcp6-search.ts';
import { Dhcp6Server } from '../../../daemon/boot/dhcp6/dhcp6-server.ts';
import {
  decodeDhcp6,
  dhcp6Code,
  type Dhcp6Message,
  type Dhcp6Option,
  dhcp6OptionBytes,
  dhcp6Type,
  encodeDhcp6,
  optionIn,
  type RelayHop,
} from '../../../daemon/boot/dhcp6/dhcp6-wire.ts';
import { associationsIn } from '../../../daemon/boot/dhcp6/identity-associations.ts';
import { withOptions } from '../../../daemon/config/dhcp-options/subnets-with-options.ts';
import { type Dhcp6Subnet, readDhcp6Subnet } from '../../../daemon/config/dhcp-subnet.ts';
import type { JsonObject } from '../../../daemon/model/json.ts';
import { ipv6Bytes, ipv6Text, parseIpv6 } from '../../../daemon/lib/network/ipv6.ts';
import { settled } from '../clock.ts';
import { dhcpSite, mac, noted } from '../boot/dhcp-site.ts';

export const SERVER_ID = serverIdOf(mac(0xff));
export const SUBNET6 =
  '2001:db8::/64 range=2001:db8::50-2001:db8::59 dns=2001:db8::2 ntp=2001:db8::3 domain=rack.example interface=br0';
const HTTP_URL = 'http://[2001:db8::1]:8080';

/** Returns an IPv6 address as a number; throws when `text` is not an IPv6 address. */
export function ip6(text: string): bigint {
  const address = parseIpv6(text);
  if (address === undefined) throw new Error(`${text} is not an IPv6 address`);
  return address;
}

const hex = (text: string) => Buffer.from(text.replaceAll(':', ''), 'hex');
export const duidOf = (client: string): Buffer => Buffer.concat([hex('00030001'), hex(client)]);

/** The option by which a client asks for an address, or names those that it has. */
export function association(addresses: readonly string[] = [], id = 1): Dhcp6Option {
  const header = Buffer.alloc(12);
  header.writeUInt32BE(id);
  const named = addresses.map((each) => ({
    code: dhcp6Code.address,
    value: Buffer.concat([ipv6Bytes(ip6(each)), Buffer.alloc(8)]),
  }));
  return {
    code: dhcp6Code.identityAssociation,
    value: Buffer.concat([header, dhcp6OptionBytes(named)]),
  };
}

const prefixed = (text: string) => Buffer.concat([Uint8Array.of(0, text.length), Buffer.from(text)]);

export const firmware6 = (name: 'PXEClient' | 'HTTPClient', architecture: number): readonly Dhcp6Option[] => [
  {
    code: dhcp6Code.vendorClass,
    value: Buffer.concat([
      hex('00000157'),
      prefixed(`${name}:Arch:${String(architecture).padStart(5, '0')}:UNDI:003016`),
    ]),
  },
  { code: dhcp6Code.architecture, value: Uint8Array.of(architecture >> 8, architecture & 255) },
];
export const UEFI6 = firmware6('PXEClient', 7);
export const UEFI_HTTP6 = firmware6('HTTPClient', 16);
export const IPXE6: readonly Dhcp6Option[] = [
  ...UEFI6,
  { code: dhcp6Code.userClass, value: prefixed('iPXE') },
];
export const toServer: Dhcp6Option = { code: dhcp6Code.serverId, value: SERVER_ID };

export const messageOf = (
  client: string,
  type: keyof typeof dhcp6Type,
  options: readonly Dhcp6Option[] = [association()],
): Dhcp6Message => ({
  type: dhcp6Type[type],
  transactionId: 0x12_34_56,
  options: [{ code: dhcp6Code.clientId, value: duidOf(client) }, ...options],
});

export interface Sent6 {
  readonly type: string | undefined;
  /** The first address of the first association; undefined if the client is not to use it. */
  readonly address: string | undefined;
  readonly to: string;
  readonly message: Dhcp6Message;
  readonly relays: readonly RelayHop[];
  readonly text: (code: number) => string | undefined;
}

function sentOf(bytes: Uint8Array, address: bigint, port: number): Sent6 {
  const decoded = decodeDhcp6(bytes);
  if (decoded.kind !== 'reply') throw new Error(`the server sent a message that is ${decoded.kind}`);
  const { message, relays } = decoded;
  const [type] = Object.entries(dhcp6Type).find(([, number]) => number === message.type) ?? [];
  const first = optionIn(message.options, dhcp6Code.identityAssociation);
  // the address may be used, if its lifetime is not 0
  const isGiven = first !== undefined && first.length >= 40 && Buffer.from(first).readUInt32BE(36) > 0;
  const given = isGiven ? associationsIn(message)[0]?.addresses[0] : undefined;
  return {
    type,
    address: given === undefined ? undefined : ipv6Text(given),
    to: `[${ipv6Text(address)}]:${port}`,
    message,
    relays,
    text(code) {
      const value = optionIn(message.options, code);
      return value && Buffer.from(value).toString('latin1');
    },
  };
}

interface Site6Options {
  readonly subnets?: readonly string[];
  readonly knownMachinesOnly?: boolean;
  /** [dhcp_server] options. */
  readonly options?: readonly string[];
}

/** Reads an IPv6 subnet; throws when it cannot be read. */
export function subnet6Of(text: string): Dhcp6Subnet {
  const reading = readDhcp6Subnet(text);
  if (reading.kind === 'unreadable') throw new Error(reading.reason);
  return reading.value;
}

export function dhcp6Site(
  t: Pick<TestContext, 'after'>,
  { subnets: texts = [SUBNET6], knownMachinesOnly = true, options: optionTexts = [] }: Site6Options = {},
) {
  const { db, clock, loops, enrol } = dhcpSite(t);
  const subnets = withOptions(texts.map(subnet6Of), { subnet: texts, mode: 'server', options: optionTexts });
  const sent: Sent6[] = [];
  const machines = knownMachines(db);
  const { events, hints, warnings, log, reports } = noted({ db, clock, loops, machines });
  const settings = {
    family: IPV6_LEASES,
    subnets,
    db,
    clock,
    leaseSeconds: 3600,
    isKnown: (client: string) => machines.byMac(client) !== undefined,
    reservedFor: (address: bigint) => machines.reservedFor(address),
  };
  const leases = new AddressLeases<bigint>(settings);
  leases.exclude(ip6('2001:db8::1'));
  let searches = 0;
  const server = new Dhcp6Server(
    {
      subnets,
      machines,
      leases,
      bootFor: (question) => firstBootFile(question, HTTP_URL),
      servesUnknown: () => !knownMachinesOnly,
      isForBmcs: () => false,
      awaitsReport: () => false,
      loops,
      leaseSeconds: 3600,
      turn: new Turn(leases, log),
      reports,
    },
    {
      name: 'br0',
      address: ip6('2001:db8::1'),
      serverId: SERVER_ID,
      send: (bytes, { address, port }) => void sent.push(sentOf(bytes, address, port)),
      search: { hint: () => (searches += 1), isAnswer: ({ transactionId }) => transactionId === 0x5ea },
    },
  );
  /** Sends the message from the address, by default an address that tells no MAC address. Resolves to the replies. */
  const say = async (message: Dhcp6Message | Uint8Array, from = 'fe80::1'): Promise<readonly Sent6[]> => {
    server.receive('options' in message ? encodeDhcp6(message) : message, { address: ip6(from), port: 546 });
    await settled();
    return sent.splice(0);
  };
  return {
    db,
    clock,
    events,
    /** What machines without a port said of themselves. */
    hints,
    warnings,
    leases,
    enrol: (client: string, more?: { readonly extra?: JsonObject; readonly boot?: string }) =>
      enrol(client, more),
    searches: () => searches,
    /** The leases that a new server would read from the database. */
    stored: () => new AddressLeases<bigint>(settings),
    say,
    /** Sends SOLICIT, and REQUEST for the offered address. Resolves to the reply. */
    async boot(client: string, options: readonly Dhcp6Option[] = []): Promise<Sent6 | undefined> {
      const [offer] = await say(messageOf(client, 'solicit', [association(), ...options]));
      if (offer?.address === undefined) return undefined;
      const chosen = [association([offer.address]), toServer, ...options];
      const [answer] = await say(messageOf(client, 'request', chosen));
      return answer;
    },
  };
}

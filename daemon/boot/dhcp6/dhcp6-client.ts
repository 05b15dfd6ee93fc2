// What a DHCPv6 message says of the machine that sent it. DHCPv6 names clients by identifiers of their own; a machine is known here
// by the MAC address of its port, so that firmware, boot loader and system get the same address.
import { isLinkLocal, macInEui64 } from '../../lib/network/ipv6.ts';
import {
  architectureTypes,
  colonHex,
  describeProgram,
  type Described,
  type SaidProgram,
} from '../dhcp/client.ts';
import { dhcp6Code, type Dhcp6Option, lengthPrefixed, optionIn, type RelayedDhcp6 } from './dhcp6-wire.ts';

const ETHERNET = 1;
/** Types of client identifiers (RFC 8415, 11) that contain the MAC address, and where it begins. */
const MAC_AT: Readonly<Record<number, number>> = { 1: 8, 3: 4 };

/** `source`: the address from which the message, or that of the first relay, was sent. */
export function describeDhcp6Client(relayed: RelayedDhcp6, source: bigint): Described {
  const mac = macOfClient(relayed, source);
  if (mac !== undefined) return describeProgram(mac, programIn(relayed.message.options));
  const reason =
    'nothing in its DHCPv6 message tells its MAC address: neither a relay (option 79), nor its link-local address, nor its client identifier';
  return { kind: 'unsupported', mac: undefined, reason };
}

/**
 * What the first relay saw comes first, then the link-local address that the client made of its MAC address. A client identifier
 * may be of another network card of the machine.
 */
function macOfClient({ message, relays }: RelayedDhcp6, source: bigint): string | undefined {
  const nearest = relays.at(-1);
  const seen = nearest && optionIn(nearest.options, dhcp6Code.linkLayerAddress);
  const sender = nearest?.peer ?? source;
  return (
    ethernetIn(seen, 0, 2) ??
    (isLinkLocal(sender) ? macInEui64(sender) : undefined) ??
    macInClientId(optionIn(message.options, dhcp6Code.clientId))
  );
}

function macInClientId(identifier: Uint8Array | undefined): string | undefined {
  if (identifier === undefined || identifier.length < 2) return undefined;
  const at = MAC_AT[Buffer.from(identifier).readUInt16BE(0)];
  return at === undefined ? undefined : ethernetIn(identifier, 2, at);
}

/** Returns the MAC address from byte `at` on; undefined unless byte `typeAt` begins Ethernet's hardware type and the bytes end with the address. */
function ethernetIn(bytes: Uint8Array | undefined, typeAt: number, at: number): string | undefined {
  if (bytes?.length !== at + 6 || Buffer.from(bytes).readUInt16BE(typeAt) !== ETHERNET) return undefined;
  return colonHex(bytes.subarray(at));
}

function programIn(options: readonly Dhcp6Option[]): SaidProgram {
  const userClasses = lengthPrefixed(optionIn(options, dhcp6Code.userClass) ?? new Uint8Array()) ?? [];
  const vendorClass = vendorClassIn(options);
  const types = architectureTypes(optionIn(options, dhcp6Code.architecture), vendorClass);
  return { vendorClass, types, isIpxe: userClasses.some((each) => each.toString('latin1') === 'iPXE') };
}

/** The first text of the vendor class, behind the number of the vendor. */
function vendorClassIn(options: readonly Dhcp6Option[]): string {
  const value = optionIn(options, dhcp6Code.vendorClass);
  const [first] = (value && lengthPrefixed(value.subarray(4))) ?? [];
  return first?.toString('latin1') ?? '';
}

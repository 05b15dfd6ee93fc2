// The search for other DHCPv6 servers. This server asks like a relay, with its own identifier as the client's: other servers answer
// to the port of servers, and leave no lease behind.
import {
  dhcp6Code,
  type Dhcp6Message,
  dhcp6Type,
  encodeDhcp6,
  encodeRelayed,
  optionIn,
} from './dhcp6-wire.ts';

/** All servers and relays on the link (RFC 8415, 7.1). */
export const ALL_DHCP6_SERVERS = 0xff02_0000_0000_0000_0000_0000_0001_0002n;

const ETHERNET = [0, 1];

/** The identifier of a server: its MAC address (DUID-LL). */
export const serverIdOf = (mac: string): Uint8Array =>
  Buffer.from([0, 3, ...ETHERNET, ...Buffer.from(mac.replaceAll(':', ''), 'hex')]);

/** `address`: of this server, on the network that it searches. */
export function dhcp6SearchMessage(serverId: Uint8Array, address: bigint, transactionId: number): Uint8Array {
  const association = Buffer.alloc(12);
  const message: Dhcp6Message = {
    type: dhcp6Type.solicit,
    transactionId,
    options: [
      { code: dhcp6Code.clientId, value: serverId },
      { code: dhcp6Code.identityAssociation, value: association },
      { code: dhcp6Code.optionRequest, value: Uint8Array.of(0, dhcp6Code.dns) },
    ],
  };
  const hop = { hops: 0, link: address, peer: address, options: [] };
  return encodeRelayed('relayForward', [hop], encodeDhcp6(message));
}

/** Whether the message is a search of this server. */
export const isOwnSearch = ({ options }: Dhcp6Message, serverId: Uint8Array): boolean =>
  isSame(optionIn(options, dhcp6Code.clientId), serverId);

/** Whether the message names another server. */
export function rivalInDhcp6({ options }: Dhcp6Message, serverId: Uint8Array): boolean {
  const server = optionIn(options, dhcp6Code.serverId);
  return server !== undefined && !isSame(server, serverId);
}

const isSame = (one: Uint8Array | undefined, other: Uint8Array): boolean =>
  one !== undefined && Buffer.compare(one, other) === 0;

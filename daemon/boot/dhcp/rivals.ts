// Other DHCP servers on the network: how to search for them, and how to recognise them in messages. Pure.
import { addressOf, optionCode } from './options.ts';
import { type DhcpMessage, messageType } from './wire.ts';

const ETHERNET = 1;

/**
 * A DISCOVER that this server sends like a relay, with the MAC address of this host as the client: other servers answer to the
 * relay's address, which is this server's. The message only asks for offers, and leaves no lease behind.
 */
export const searchForRivals = (mac: string, serverAddress: number, transactionId: number): DhcpMessage => ({
  op: 'request',
  hardwareType: ETHERNET,
  hardwareAddress: Buffer.from(mac.replaceAll(':', ''), 'hex'),
  hops: 1,
  transactionId,
  flags: 0,
  clientAddress: 0,
  yourAddress: 0,
  nextServer: 0,
  relay: serverAddress,
  file: '',
  options: new Map([
    [optionCode.messageType, Uint8Array.of(messageType.discover)],
    [optionCode.parameterList, Uint8Array.of(optionCode.subnetMask, optionCode.router)],
  ]),
});

/**
 * Returns the address of another DHCP server that this message shows: the server has answered the search, or a client says in a
 * broadcast that it has chosen the server's offer. Undefined for this server, whose addresses are `own`, and for ProxyDHCP
 * servers, which assign no addresses.
 */
export function rivalIn(
  { op, yourAddress, options }: DhcpMessage,
  own: ReadonlySet<number>,
): number | undefined {
  const server = addressOf(options, optionCode.serverId);
  if (server === undefined || own.has(server) || (op === 'reply' && yourAddress === 0)) return undefined;
  return server;
}

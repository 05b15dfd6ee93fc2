// Decides what the server does with a DHCPv6 message from a client (RFC 8415, sections 16 and 18.3). Reads leases, but changes none.
import { type Dhcp6Subnet, isInDhcpSubnet } from '../../config/dhcp-subnet.ts';
import type { AddressLeases } from '../dhcp/addresses/leases.ts';
import { reasonForSilence } from '../dhcp/exchange.ts';
import { type Dhcp6Exchange, type Dhcp6Site, linkOfRelays } from './dhcp6-exchange.ts';
import { dhcp6Code, type Dhcp6Message, dhcp6Type, optionIn } from './dhcp6-wire.ts';
import { associationsIn } from './identity-associations.ts';

export type Dhcp6Decision =
  | { readonly kind: 'silence'; readonly reason: string }
  | { readonly kind: 'advertise'; readonly address: bigint }
  /** The machine has the address from now on. */
  | { readonly kind: 'bind'; readonly address: bigint; readonly isRapid: boolean }
  | { readonly kind: 'full'; readonly type: 'advertise' | 'reply'; readonly reason: string }
  /** Settings for a client that did not get its address from this server. */
  | { readonly kind: 'inform' }
  /** Whether the client's addresses are of the network that it is on. */
  | { readonly kind: 'confirm'; readonly isOnLink: boolean }
  /** The client chose another server's offer. */
  | { readonly kind: 'withdraw' }
  | { readonly kind: 'release'; readonly address: bigint | undefined }
  | { readonly kind: 'decline'; readonly address: bigint | undefined };

export interface Dhcp6Question
  extends Dhcp6Exchange, Pick<Dhcp6Site, 'servesUnknown' | 'awaitsReport' | 'loops' | 'isForBmcs'> {
  readonly leases: Pick<AddressLeases<bigint>, 'of' | 'isFresh' | 'candidate'>;
  /** The identifier of this server. */
  readonly serverId: Uint8Array;
}

const silence = (reason: string): Dhcp6Decision => ({ kind: 'silence', reason });

export function decideDhcp6(question: Dhcp6Question): Dhcp6Decision {
  const { message, client, subnet } = question;
  const answer = ANSWERS[message.type];
  if (answer === undefined) return silence(`message type ${message.type} is not one that clients send`);
  const flaw = flawOf(question);
  if (flaw !== undefined) return flaw;
  const reason = reasonForSilence(question, client, question);
  if (reason !== undefined) return silence(reason);
  return subnet === undefined ? silence(noSubnet(question)) : answer(question, subnet);
}

const { solicit, request, confirm, renew, rebind, release, decline, informationRequest } = dhcp6Type;
const TO_ALL_SERVERS: ReadonlySet<number> = new Set([solicit, confirm, rebind]);

/** What RFC 8415, section 16, has the server do with a message that names the wrong server, or no client. */
function flawOf({ message, serverId }: Dhcp6Question): Dhcp6Decision | undefined {
  const [client, server] = [
    optionIn(message.options, dhcp6Code.clientId),
    optionIn(message.options, dhcp6Code.serverId),
  ];
  if (client === undefined && message.type !== informationRequest)
    return silence('its message has no client identifier');
  if (TO_ALL_SERVERS.has(message.type))
    return server === undefined ? undefined : silence('its message to all servers names one');
  if (server === undefined)
    return message.type === informationRequest ? undefined : silence('its message names no server');
  if (Buffer.compare(server, serverId) === 0) return undefined;
  return message.type === request ? { kind: 'withdraw' } : silence('its message is for another server');
}

function noSubnet({ relays }: Dhcp6Question): string {
  if (relays.length === 0)
    return 'no IPv6 subnet of [dhcp_server] is on the interface at which its message arrived';
  return linkOfRelays(relays) === undefined
    ? 'no relay of its message names the network (link-address)'
    : 'no IPv6 subnet of [dhcp_server] contains the link-address of its relay';
}

type Answer = (question: Dhcp6Question, subnet: Dhcp6Subnet) => Dhcp6Decision;

const ANSWERS: Readonly<Record<number, Answer>> = {
  [solicit]: toBoot(give),
  [request]: toBoot(give),
  [renew]: toBoot(give),
  [rebind]: toBoot(give),
  [informationRequest]: toBoot(() => ({ kind: 'inform' })),
  [confirm]: confirmed,
  [release]: ({ client, leases, message }) => ({
    kind: 'release',
    address: namedIn(message).find((address) => leases.of(client.mac)?.address === address),
  }),
  [decline]: ({ client, leases, message }) => ({
    kind: 'decline',
    address: namedIn(message).find((address) => leases.isFresh(client.mac, address)),
  }),
};

const namedIn = (message: Dhcp6Message) => associationsIn(message).flatMap(({ addresses }) => addresses);

/** Firmware and iPXE have no use for an address without a boot file. */
function toBoot(answer: Answer): Answer {
  return (question, subnet) =>
    question.client.stage !== 'os' && question.boot === undefined
      ? silence('there is nothing to boot')
      : answer(question, subnet);
}

/**
 * A machine keeps the address that it has; whoever sends messages in its name cannot move it. A client that names another address
 * is told to drop that one. So the answer to RENEW and REBIND is an address too, and saves the client a minute.
 */
function give(question: Dhcp6Question, subnet: Dhcp6Subnet): Dhcp6Decision {
  const { message, client, machine, leases } = question;
  const [first] = associationsIn(message);
  if (first === undefined) return silence('it asks for no address (IA_NA)');
  const reserved = machine?.reservedIpv6;
  if (subnet.ranges.length === 0 && reserved === undefined)
    return silence(`${subnet.cidr} has no range: its machines get addresses from elsewhere`);
  const [requested] = first.addresses;
  const address = leases.candidate(client.mac, subnet, { reserved, requested, isProbed: false });
  const asks = message.type === solicit;
  if (address === undefined) {
    const reason = `all addresses of ${subnet.cidr} are taken`;
    return { kind: 'full', type: asks ? 'advertise' : 'reply', reason };
  }
  const isRapid = asks && optionIn(message.options, dhcp6Code.rapidCommit) !== undefined;
  return asks && !isRapid ? { kind: 'advertise', address } : { kind: 'bind', address, isRapid };
}

function confirmed({ message }: Dhcp6Question, subnet: Dhcp6Subnet): Dhcp6Decision {
  const addresses = namedIn(message);
  if (addresses.length === 0) return silence('it asks to confirm no address');
  return { kind: 'confirm', isOnLink: addresses.every((address) => isInDhcpSubnet(address, subnet)) };
}

// Decides what the server does with a message from a client (RFC 2131, section 4.3). Reads leases, but changes none.
import { type DhcpSubnet, isInDhcpSubnet } from '../../config/dhcp-subnet.ts';
import { ipv4Text } from '../../lib/network/ipv4.ts';
import type { BootLoops } from '../boot-loops.ts';
import type { Leases } from './addresses/leases.ts';
import { type Exchange, refusalOf } from './exchange.ts';
import { addressOf, optionCode } from './options.ts';
import { type DhcpMessage, messageType } from './wire.ts';

export type Decision =
  | { readonly kind: 'silence'; readonly reason: string; readonly isPoolFull?: true }
  | { readonly kind: 'offer'; readonly address: number }
  | { readonly kind: 'acknowledge'; readonly address: number }
  /** The answer to DHCPINFORM: settings for a client that did not get its address from a DHCP server. */
  | { readonly kind: 'inform' }
  /** DHCPNAK: the client drops its address and starts again with DISCOVER. */
  | { readonly kind: 'refuse'; readonly reason: string }
  /** The client chose another server's offer. */
  | { readonly kind: 'withdraw' }
  | { readonly kind: 'release'; readonly address: number }
  | { readonly kind: 'decline'; readonly address: number };

export interface Question extends Exchange {
  readonly leases: Pick<Leases, 'of' | 'mayHave' | 'candidate'>;
  readonly serverAddress: number;
  readonly servesUnknown: () => boolean;
  readonly loops: Pick<BootLoops, 'isPaused'>;
}

const silence = (reason: string): Decision => ({ kind: 'silence', reason });

export function decide(question: Question): Decision {
  const { request, client, subnet } = question;
  const type = typeOf(request);
  if (type === undefined)
    return silence('its message is BOOTP, without a valid DHCP message type (option 53)');
  const reason = refusalOf(question, client, question.machine);
  if (reason !== undefined) return silence(reason);
  if (subnet === undefined) return silence(noSubnet(request));
  const answer = ANSWERS[type];
  return answer === undefined
    ? silence(`message type ${type} is not one that clients send`)
    : answer(question, subnet);
}

type Answer = (question: Question, subnet: DhcpSubnet) => Decision;

const ANSWERS: Readonly<Record<number, Answer>> = {
  [messageType.discover]: toBoot(offer),
  [messageType.request]: toBoot(answerRequest),
  [messageType.decline]: decline,
  [messageType.release]: release,
  [messageType.inform]: inform,
};

/** Firmware and iPXE have no use for an address without a boot file. */
function toBoot(answer: Answer): Answer {
  return (question, subnet) =>
    question.client.stage !== 'os' && question.boot === undefined
      ? silence('there is nothing to boot')
      : answer(question, subnet);
}

export function typeOf({ options }: DhcpMessage): number | undefined {
  const value = options.get(optionCode.messageType);
  return value?.length === 1 ? value[0] : undefined;
}

const noSubnet = ({ relay }: DhcpMessage) =>
  relay === 0
    ? 'no subnet of [dhcp_server] is on the interface at which its message arrived'
    : `no subnet of [dhcp_server] contains the relay ${ipv4Text(relay)}`;

function offer({ request, client, machine, leases }: Question, subnet: DhcpSubnet): Decision {
  const address = leases.candidate(client.mac, subnet, {
    reserved: machine?.reservedAddress,
    requested: addressOf(request.options, optionCode.requestedAddress),
  });
  if (address !== undefined) return { kind: 'offer', address };
  return { kind: 'silence', reason: `all addresses of ${subnet.cidr} are taken`, isPoolFull: true };
}

/**
 * A server identifier says whose offer the client accepts: this server's or another's. Without an identifier, the client asks again
 * for an address that it remembers, or renews its lease. Unless the client accepts another server's offer, the client gets the
 * address if the address is in the subnet and free for this client. RFC 2131 wants a server without a record of the client to stay
 * silent, because another server may know the client. This server is the only one, and its answer saves the client a minute.
 */
function answerRequest({ request, client, leases, serverAddress }: Question, subnet: DhcpSubnet): Decision {
  const { options, clientAddress } = request;
  const chosen = addressOf(options, optionCode.serverId);
  if (chosen !== undefined && chosen !== serverAddress) return { kind: 'withdraw' };
  const address = addressOf(options, optionCode.requestedAddress) ?? clientAddress;
  if (address === 0) return silence('it requests no address');
  if (!isInDhcpSubnet(address, subnet))
    return { kind: 'refuse', reason: `${ipv4Text(address)} is not in ${subnet.cidr}` };
  if (!leases.mayHave(client.mac, address))
    return { kind: 'refuse', reason: `${ipv4Text(address)} is not free for this machine` };
  return { kind: 'acknowledge', address };
}

/** A machine may release only its own address. */
function release({ request: { clientAddress: address }, client, leases }: Question): Decision {
  return leases.of(client.mac)?.address === address
    ? { kind: 'release', address }
    : silence('it releases an address that it does not have');
}

function decline({ request, client, leases }: Question): Decision {
  const address = addressOf(request.options, optionCode.requestedAddress);
  return address !== undefined && leases.of(client.mac)?.address === address
    ? { kind: 'decline', address }
    : silence('it declines an address that it does not have');
}

function inform({ request }: Question, subnet: DhcpSubnet): Decision {
  return isInDhcpSubnet(request.clientAddress, subnet)
    ? { kind: 'inform' }
    : silence(`its address is not in ${subnet.cidr}`);
}

// Decides what the server does with a message from a client (RFC 2131, section 4.3). Reads leases, but changes none.
import { type DhcpSubnet, isInDhcpSubnet } from '../../config/dhcp-subnet.ts';
import { ipv4Text } from '../../lib/network/ipv4.ts';
import type { AddressLeases } from './addresses/leases.ts';
import { type Exchange, reasonForSilence, type DhcpSite } from './exchange.ts';
import { addressOption, optionCode } from './options.ts';
import { linkOf, serverIdFor } from './requests/relay-agent.ts';
import { type DhcpMessage, messageType } from './wire.ts';

export type DhcpDecision =
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

interface Question
  extends Exchange, Pick<DhcpSite, 'servesUnknown' | 'awaitsReport' | 'loops' | 'isForBmcs'> {
  readonly leases: Pick<AddressLeases, 'of' | 'current' | 'isFresh' | 'mayHave' | 'candidate'>;
  readonly serverAddress: number;
  /** Whether the server looks for a host that uses an address before it offers the address. */
  readonly isProbed: boolean;
}

const silence = (reason: string): DhcpDecision => ({ kind: 'silence', reason });

export function decideReply(question: Question): DhcpDecision {
  const { request, client, subnet } = question;
  const type = messageTypeOf(request);
  if (type === undefined)
    return silence('its message is BOOTP, without a valid DHCP message type (option 53)');
  const reason = reasonForSilence(question, client, question);
  if (reason !== undefined) return silence(reason);
  if (subnet === undefined) return silence(noSubnet(request));
  const answer = ANSWERS[type];
  return answer === undefined
    ? silence(`message type ${type} is not one that clients send`)
    : answer(question, subnet);
}

type Answer = (question: Question, subnet: DhcpSubnet) => DhcpDecision;

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

export function messageTypeOf({ options }: DhcpMessage): number | undefined {
  const value = options.get(optionCode.messageType);
  return value?.length === 1 ? value[0] : undefined;
}

function noSubnet(request: DhcpMessage): string {
  const [{ relay }, link] = [request, linkOf(request)];
  if (relay === 0) return 'no subnet of [dhcp_server] is on the interface at which its message arrived';
  return link === relay
    ? `no subnet of [dhcp_server] contains the relay ${ipv4Text(relay)}`
    : `no subnet of [dhcp_server] contains ${ipv4Text(link)}, the link that the relay ${ipv4Text(relay)} names`;
}

function offer({ request, client, machine, leases, isProbed }: Question, subnet: DhcpSubnet): DhcpDecision {
  const address = leases.candidate(client.mac, subnet, {
    reserved: machine?.reservedAddress,
    requested: addressOption(request.options, optionCode.requestedAddress),
    isProbed,
  });
  if (address !== undefined) return { kind: 'offer', address };
  return { kind: 'silence', reason: `all addresses of ${subnet.cidr} are taken`, isPoolFull: true };
}

/**
 * A server identifier says whose offer the client accepts: this server's or another's. Without an identifier, the client asks again
 * for an address that it remembers, or renews its lease. Unless the client accepts another server's offer, the client gets the
 * address if the address is in the subnet and free for this client, and the client has no other address in the subnet: whoever
 * sends requests in a machine's name cannot move the machine. RFC 2131 wants a server without a record of the client to stay
 * silent, because another server may know the client. This server is the only one, and its answer saves the client a minute.
 */
function answerRequest(question: Question, subnet: DhcpSubnet): DhcpDecision {
  const { request, serverAddress } = question;
  const { options, clientAddress } = request;
  const chosen = addressOption(options, optionCode.serverId);
  if (chosen !== undefined && chosen !== serverAddress && chosen !== serverIdFor(request))
    return { kind: 'withdraw' };
  const address = addressOption(options, optionCode.requestedAddress) ?? clientAddress;
  if (address === 0) return silence('it requests no address');
  const reason = whyNot(question, subnet, address);
  return reason === undefined ? { kind: 'acknowledge', address } : { kind: 'refuse', reason };
}

/** Why the machine may not have the address; undefined if it may. */
function whyNot(
  { client: { mac }, machine, leases }: Question,
  subnet: DhcpSubnet,
  address: number,
): string | undefined {
  if (!isInDhcpSubnet(address, subnet)) return `${ipv4Text(address)} is not in ${subnet.cidr}`;
  const own = leases.current(mac)?.address ?? address;
  const isMoved = own !== address && isInDhcpSubnet(own, subnet) && machine?.reservedAddress !== address;
  if (isMoved) return `it has ${ipv4Text(own)}, not ${ipv4Text(address)}`;
  return leases.mayHave(mac, address) ? undefined : `${ipv4Text(address)} is not free for this machine`;
}

/** A machine may release only its own address. */
function release({ request: { clientAddress: address }, client, leases }: Question): DhcpDecision {
  return leases.of(client.mac)?.address === address
    ? { kind: 'release', address }
    : silence('it releases an address that it does not have');
}

function decline({ request, client, leases }: Question): DhcpDecision {
  const address = addressOption(request.options, optionCode.requestedAddress);
  return address !== undefined && leases.isFresh(client.mac, address)
    ? { kind: 'decline', address }
    : silence('it declines an address that it has not just got');
}

function inform({ request }: Question, subnet: DhcpSubnet): DhcpDecision {
  return isInDhcpSubnet(request.clientAddress, subnet)
    ? { kind: 'inform' }
    : silence(`its address is not in ${subnet.cidr}`);
}

// The DHCPv6 server of one network interface. It decodes each message, describes the client, decides what to do, replies, and
// reports what it did.
import { ipv6Text, isLinkLocal } from '../../lib/network/ipv6.ts';
import type { AddressLeases } from '../dhcp/addresses/leases.ts';
import { optionsFor, unreadableOptions } from '../dhcp/known-machines.ts';
import type { Destination } from '../dhcp/reply.ts';
import type { Reports } from '../dhcp/reports.ts';
import type { RivalSearch } from '../dhcp/rivals.ts';
import type { Turn } from '../dhcp/turn.ts';
import { dhcpLimits } from '../limits.ts';
import { describeDhcp6Client } from './dhcp6-client.ts';
import { decideDhcp6, type Dhcp6Decision } from './dhcp6-decision.ts';
import { type Dhcp6Arrival, type Dhcp6Exchange, dhcp6ExchangeOf, type Dhcp6Site } from './dhcp6-exchange.ts';
import {
  addressOptions,
  bootUrl,
  dhcp6BootOptions,
  dhcp6Reply,
  dhcp6ReplyBytes,
  endedOptions,
  settingOptions,
  statusOption,
} from './dhcp6-reply.ts';
import { decodeDhcp6, type DecodedDhcp6, type Dhcp6Option, dhcp6Status } from './dhcp6-wire.ts';
import { isOwnSearch, rivalInDhcp6 } from './dhcp6-search.ts';

export const [DHCP6_CLIENT_PORT, DHCP6_SERVER_PORT] = [546, 547];

export interface Dhcp6Services extends Dhcp6Site {
  readonly leases: AddressLeases<bigint>;
  readonly turn: Turn;
  readonly reports: Reports;
  readonly leaseSeconds: number;
}

export interface Dhcp6Interface extends Dhcp6Arrival {
  /** The identifier of this server (DUID). */
  readonly serverId: Uint8Array;
  send(bytes: Uint8Array, to: Destination<bigint>): void;
  /** Undefined where other servers are not looked for. */
  readonly search?: Pick<RivalSearch, 'hint' | 'isAnswer'>;
}

type DecodedMessage = Exclude<DecodedDhcp6, { readonly kind: 'malformed' }>;

interface Conversation {
  readonly exchange: Dhcp6Exchange;
  readonly from: Destination<bigint>;
}

export class Dhcp6Server {
  readonly #services: Dhcp6Services;
  readonly #on: Dhcp6Interface;

  constructor(services: Dhcp6Services, on: Dhcp6Interface) {
    this.#services = services;
    this.#on = on;
  }

  /** Handles one datagram, at the end of the event loop's turn, with the others that arrived in it. */
  receive(datagram: Uint8Array, from: Destination<bigint>): void {
    this.#services.turn.add(() => this.#handle(datagram, from));
  }

  #handle(datagram: Uint8Array, from: Destination<bigint>): void {
    const { reports } = this.#services;
    const decoded = decodeDhcp6(datagram);
    if (decoded.kind === 'malformed') return reports.ignored('dhcp', undefined, decoded.reason);
    if (isOwnSearch(decoded.message, this.#on.serverId)) return this.#hearAnswer(decoded, from);
    if (decoded.kind === 'reply') return;
    if (rivalInDhcp6(decoded.message, this.#on.serverId)) this.#on.search?.hint();
    this.#answer(decoded, from);
  }

  /** The search and the answers to it carry this server's identifier as the client's. */
  #hearAnswer({ kind, message }: DecodedMessage, { address }: Destination<bigint>): void {
    const { name, search, serverId } = this.#on;
    if (kind === 'reply' && rivalInDhcp6(message, serverId) && search?.isAnswer(message) === true)
      this.#services.reports.rival(ipv6Text(address), name);
  }

  #answer(decoded: DecodedMessage, from: Destination<bigint>): void {
    const { reports } = this.#services;
    const { serverId } = this.#on;
    // an answer goes to the sender, who must be on the link, or a relay: nobody far away can have it sent to others
    if (decoded.relays.length === 0 && !isLinkLocal(from.address))
      return reports.ignored(
        'dhcp',
        undefined,
        'it comes neither from a link-local address nor from a relay',
      );
    const described = describeDhcp6Client(decoded, from.address);
    if (described.kind === 'unsupported') return reports.ignored('dhcp', described.mac, described.reason);
    const exchange = dhcp6ExchangeOf(this.#services, this.#on, decoded, described.client);
    this.#carryOut({ exchange, from }, decideDhcp6({ ...this.#services, ...exchange, serverId }));
  }

  #carryOut(talk: Conversation, decision: Dhcp6Decision): void {
    const { leases, reports } = this.#services;
    const { client, message } = talk.exchange;
    switch (decision.kind) {
      case 'silence':
        return reports.ignored('dhcp', client.mac, `${decision.reason} (${client.stage}, IPv6)`);
      case 'advertise':
        leases.offer(client.mac, decision.address);
        return this.#grant(talk, decision);
      case 'bind':
        leases.bind(client.mac, decision.address);
        return this.#grant(talk, decision);
      case 'inform':
        return this.#grant(talk, { kind: 'inform' });
      case 'full':
        reports.poolFull(decision.reason);
        return this.#send(talk, decision.type, addressOptions(message, undefined, this.#services));
      case 'withdraw':
        return leases.withdraw(client.mac);
      case 'confirm':
        return this.#confirm(talk, decision.isOnLink);
      default:
        return this.#end(talk, decision);
    }
  }

  #grant(
    talk: Conversation,
    decision: Extract<Dhcp6Decision, { kind: 'advertise' | 'bind' | 'inform' }>,
  ): void {
    const { message, client, machine, subnet, boot } = talk.exchange;
    if (subnet === undefined) return;
    const serverAddress = ipv6Text(this.#on.address);
    const { leaseSeconds, reports } = this.#services;
    const options = [
      ...('address' in decision
        ? addressOptions(message, decision.address, { leaseSeconds, isRapid: false, ...decision })
        : []),
      ...settingOptions(message, subnet, optionsFor(6, machine, subnet)),
      ...dhcp6BootOptions(boot, client.stage, serverAddress),
    ];
    const file = boot && bootUrl(boot, serverAddress);
    const has = 'address' in decision ? ipv6Text(decision.address) : 'settings for its address';
    const verb = decision.kind === 'advertise' ? 'is offered' : 'gets';
    const what = has + (file === undefined ? '' : ` and ${file}`);
    this.#send(talk, decision.kind === 'advertise' ? 'advertise' : 'reply', options, () => {
      this.#report(talk, `${verb} ${what} (${client.stage})`);
      const unread = machine && unreadableOptions(machine);
      if (unread !== undefined) this.#report(talk, unread, true);
      if (decision.kind === 'bind' && client.stage === 'os') this.#mayBeBmc(client.mac, decision.address);
      if (decision.kind !== 'advertise' && file !== undefined) reports.bootFileGiven({ client, file });
    });
  }

  /** BMCs ask for addresses like any system. */
  #mayBeBmc(mac: string, address: bigint): void {
    const unsaid = { hostname: undefined, vendorClass: undefined };
    this.#services.reports.heardHint({ source: 'dhcp', address: ipv6Text(address), mac, ...unsaid });
  }

  #confirm(talk: Conversation, isOnLink: boolean): void {
    const status = isOnLink ? dhcp6Status.success : dhcp6Status.notOnLink;
    this.#send(talk, 'reply', [statusOption(status)], () =>
      this.#report(
        talk,
        isOnLink ? 'may keep its address' : 'must drop its address: it is of another network',
      ),
    );
  }

  /** RELEASE and DECLINE. That another host uses an address is only said by the machine, so only it does not get it again. */
  #end(talk: Conversation, { kind, address }: Extract<Dhcp6Decision, { kind: 'release' | 'decline' }>): void {
    const { leases, reports } = this.#services;
    const { mac } = talk.exchange.client;
    if (address !== undefined && kind === 'release') leases.release(mac, address);
    if (address !== undefined && kind === 'decline' && !leases.decline(mac, address))
      return reports.ignored(
        'dhcp',
        mac,
        `it has declined ${dhcpLimits.declinedAddresses} addresses lately (IPv6)`,
      );
    this.#send(talk, 'reply', endedOptions(talk.exchange.message, address), () => {
      if (address === undefined) return;
      const verb = kind === 'release' ? 'gives back' : 'declines';
      this.#report(talk, `${verb} ${ipv6Text(address)}`, kind === 'decline');
    });
  }

  #send(
    { exchange, from }: Conversation,
    type: 'advertise' | 'reply',
    options: readonly Dhcp6Option[],
    report: () => void = () => {},
  ): void {
    const bytes = dhcp6ReplyBytes(exchange, dhcp6Reply(exchange.message, type, this.#on.serverId, options));
    const port = exchange.relays.length > 0 ? DHCP6_SERVER_PORT : DHCP6_CLIENT_PORT;
    this.#services.turn.whenStored(() => {
      this.#on.send(bytes, { address: from.address, port });
      report();
    });
  }

  #report({ exchange: { client } }: Conversation, text: string, hasFailed = false): void {
    const address = this.#services.leases.addressOf(client.mac);
    this.#services.reports.event({
      hop: 'dhcp',
      mac: client.mac,
      ...(address !== undefined && { address: ipv6Text(address) }),
      text,
      ...(hasFailed && { failed: true }),
    });
  }
}

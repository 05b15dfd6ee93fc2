// The DHCP server of one network interface. It decodes each message, describes the client, decides what to do, replies, and
// reports what it did.
import type { SetOption } from '../../config/dhcp-options/set-options.ts';
import { ipv4Text } from '../../lib/network/ipv4.ts';
import { bootFileOf } from '../boot-choice.ts';
import type { AddressLease } from './addresses/lease.ts';
import { type AddressLeases, UNUSABLE_MILLISECONDS } from './addresses/leases.ts';
import { type Neighbour, type Neighbours, VERDICT_MILLISECONDS } from './addresses/neighbours.ts';
import { describeClient } from './client.ts';
import { type DhcpDecision, decideReply } from './decide.ts';
import { type Arrival, type Exchange, exchangeOf, type DhcpSite } from './exchange.ts';
import { type Destination, destinationOf, grant, negativeReply } from './reply.ts';
import { optionsFor, unreadableOptions } from './known-machines.ts';
import type { Reports } from './reports.ts';
import { rivalIn, type RivalSearch } from './rivals.ts';
import type { Turn } from './turn.ts';
import { decodeMessage, type DhcpMessage, encodeMessage } from './wire.ts';
import { dhcpLimits } from '../limits.ts';

/** What the servers of all interfaces share. */
export interface DhcpServices extends DhcpSite {
  readonly leases: AddressLeases;
  readonly turn: Turn;
  readonly reports: Reports;
  readonly leaseSeconds: number;
  /** The addresses of this server on all interfaces: a relay may send a client's request to any of them. */
  readonly ownAddresses: ReadonlySet<number>;
}

export interface ServedInterface extends Arrival {
  send(bytes: Uint8Array, to: Destination): void;
  /** Undefined: addresses are offered without probing for hosts that use them. */
  readonly neighbours: Neighbours | undefined;
  /** Undefined where other servers are not looked for. */
  readonly search?: Pick<RivalSearch, 'hint' | 'isAnswer'>;
  /** Ends iPXE's wait for an IPv6 router; undefined: iPXE waits. */
  readonly advertise?: (() => void) | undefined;
}

const NOBODY: Neighbour = { kind: 'none' };

type User = Extract<Neighbour, { readonly mac: string }>;

/** Only an address that has no `former` holder is offered without knowing that no other host uses it. */
function mayOffer(mac: string, user: Neighbour, former: AddressLease | undefined): boolean {
  if (user.kind === 'unprobed') return former === undefined;
  return user.kind === 'none' || user.mac === mac;
}

export class DhcpServer {
  readonly #services: DhcpServices;
  readonly #on: ServedInterface;
  /** MAC addresses of machines whose offer waits until it is known that no other host uses the address. */
  readonly #probing = new Set<string>();

  constructor(services: DhcpServices, on: ServedInterface) {
    this.#services = services;
    this.#on = on;
  }

  /** Handles one datagram, at the end of the event loop's turn, with the others that arrived in it. */
  receive(datagram: Uint8Array): void {
    this.#services.turn.add(() => this.#handle(datagram));
  }

  #handle(datagram: Uint8Array): void {
    const { reports, ownAddresses } = this.#services;
    const decoded = decodeMessage(datagram);
    if (decoded.kind === 'malformed') return reports.ignored('dhcp', undefined, decoded.reason);
    const request = decoded.message;
    const { name, search } = this.#on;
    const rival = rivalIn(request, ownAddresses);
    if (request.op === 'reply') {
      if (rival !== undefined && search?.isAnswer(request) === true) reports.rival(ipv4Text(rival), name);
      return;
    }
    // a request whose relay is this server is this server's own search for rivals
    if (ownAddresses.has(request.relay)) return;
    if (rival !== undefined) search?.hint();
    const described = describeClient(request, this.#services.machines);
    if (described.kind === 'unsupported') return reports.ignored('dhcp', described.mac, described.reason);
    reports.heard(request, described.client);
    this.#answer(exchangeOf(this.#services, this.#on, request, described.client));
  }

  #answer(exchange: Exchange, addressesTried = 0): void {
    const isProbed = this.#probes(exchange);
    const decision = decideReply({
      ...this.#services,
      ...exchange,
      serverAddress: this.#on.address,
      isProbed,
    });
    if (decision.kind !== 'offer' || !this.#mustProbe(exchange, decision.address))
      return this.#carryOut(exchange, decision);
    void this.#probe(exchange, decision.address, addressesTried);
  }

  #carryOut(exchange: Exchange, decision: DhcpDecision): void {
    const { leases, reports } = this.#services;
    const { mac, stage } = exchange.client;
    switch (decision.kind) {
      case 'silence':
        if (decision.isPoolFull === true) reports.poolFull(decision.reason);
        return reports.ignored('dhcp', mac, `${decision.reason} (${stage})`);
      case 'offer':
        leases.offer(mac, decision.address);
        return this.#grant(exchange, 'offer', decision.address);
      case 'acknowledge':
        leases.bind(mac, decision.address);
        return this.#grant(exchange, 'acknowledge', decision.address);
      case 'inform':
        return this.#grant(exchange, 'acknowledge', undefined);
      case 'refuse':
        leases.withdraw(mac);
        return this.#refuse(exchange, decision.reason);
      case 'withdraw':
        return leases.withdraw(mac);
      case 'release':
        return this.#release(exchange, decision.address);
      default:
        return void this.#decline(exchange, decision.address);
    }
  }

  /** Whether the server can find out which host uses an address: only on its own link. */
  #probes({ request, subnet }: Exchange): boolean {
    return this.#on.neighbours !== undefined && request.relay === 0 && subnet?.interface === this.#on.name;
  }

  /** An address that the machine had before is not probed: the machine itself may still answer for it. */
  #mustProbe(exchange: Exchange, address: number): boolean {
    const { mac } = exchange.client;
    const isFamiliar = this.#services.leases.of(mac)?.address === address;
    return this.#probes(exchange) && (!isFamiliar || this.#probing.has(mac));
  }

  /**
   * Looks for another host that uses the address. Offers the address if there is none; otherwise tries another address. During the
   * search the address is kept for the machine, unless it is still another one's, and a repeated DISCOVER from the machine gets no
   * answer of its own.
   */
  async #probe(exchange: Exchange, address: number, addressesTried: number): Promise<void> {
    const { mac } = exchange.client;
    const { leases, turn } = this.#services;
    if (this.#probing.has(mac)) return;
    this.#probing.add(mac);
    const former = leases.otherThan(mac, address);
    if (former === undefined) leases.offer(mac, address);
    const user = (await this.#on.neighbours?.find(address, exchange.machine !== undefined)) ?? NOBODY;
    this.#probing.delete(mac);
    turn.add(() => {
      const isUnchanged = leases.otherThan(mac, address) === former;
      if (isUnchanged && mayOffer(mac, user, former))
        return this.#carryOut(exchange, { kind: 'offer', address });
      if (user.kind === 'unprobed') return;
      if (isUnchanged && 'mac' in user && user.mac !== former?.mac) this.#keepFree(exchange, address, user);
      if (addressesTried + 1 < dhcpLimits.addressesTried) this.#answer(exchange, addressesTried + 1);
    });
  }

  #keepFree(exchange: Exchange, address: number, user: User): void {
    if (user.kind === 'user') return this.#setAside(exchange, address, user.mac);
    this.#services.leases.setAside(address, VERDICT_MILLISECONDS);
    void this.#awaitVerdict(exchange, address, user.verdict);
  }

  async #awaitVerdict(
    exchange: Exchange,
    address: number,
    verdict: Promise<string | undefined>,
  ): Promise<void> {
    const user = await verdict;
    if (user === undefined || user === exchange.client.mac) return;
    this.#services.turn.add(() => this.#setAside(exchange, address, user));
  }

  #setAside(exchange: Exchange, address: number, user: string): void {
    this.#services.leases.setAside(address, UNUSABLE_MILLISECONDS);
    this.#report(exchange, `does not get ${ipv4Text(address)}: ${user} uses that address`, true);
  }

  #grant(exchange: Exchange, type: 'offer' | 'acknowledge', address: number | undefined): void {
    const { request, client, subnet, boot } = exchange;
    if (subnet === undefined) return;
    const { message, leftOut } = grant(request, type, {
      yourAddress: address ?? 0,
      leaseSeconds: address === undefined ? undefined : this.#services.leaseSeconds,
      subnet,
      serverAddress: this.#on.address,
      stage: client.stage,
      boot,
      set: optionsFor(4, exchange.machine, subnet),
    });
    if (client.stage === 'ipxe') this.#on.advertise?.();
    const file = boot && bootFileOf(boot);
    const has = address ?? request.clientAddress;
    this.#sendWhenStored(message, destinationOf(request, type === 'offer' ? 0 : has), () => {
      const what = ipv4Text(has) + (file === undefined ? '' : ` and ${file}`);
      this.#report(exchange, `${verbOf(type, address)} ${what} (${client.stage})`);
      this.#reportOptions(exchange, leftOut);
      if (type === 'acknowledge' && file !== undefined)
        this.#services.reports.bootFileGiven({ client, file });
    });
  }

  /** Reports options of the machine that it does not get. */
  #reportOptions(exchange: Exchange, leftOut: readonly SetOption[]): void {
    const unread = exchange.machine && unreadableOptions(exchange.machine);
    const codes = leftOut.map(({ code }) => code).join(', ');
    if (codes !== '')
      this.#report(exchange, `does not get option ${codes}: its messages have no room for it`, true);
    if (unread !== undefined) this.#report(exchange, unread, true);
  }

  #refuse(exchange: Exchange, reason: string): void {
    const message = negativeReply(exchange.request, this.#on.address, reason);
    this.#sendWhenStored(message, destinationOf(exchange.request, 0), () =>
      this.#report(exchange, `must drop its address: ${reason}`, true),
    );
  }

  #release(exchange: Exchange, address: number): void {
    this.#services.leases.release(exchange.client.mac, address);
    this.#services.turn.whenStored(() => this.#report(exchange, `gives back ${ipv4Text(address)}`));
  }

  /** Believes that another host uses the address only after a probe; otherwise only this machine does not get it again. */
  async #decline(exchange: Exchange, address: number): Promise<void> {
    const { leases, turn, reports } = this.#services;
    const { mac } = exchange.client;
    const user = await this.#userOf(exchange, address);
    turn.add(() => {
      if (user !== undefined && user !== mac) return this.#setAside(exchange, address, user);
      if (user === mac) return reports.ignored('dhcp', mac, `it declines ${ipv4Text(address)} but uses it`);
      if (!leases.decline(mac, address))
        return reports.ignored(
          'dhcp',
          mac,
          `it has declined ${dhcpLimits.declinedAddresses} addresses lately`,
        );
      turn.whenStored(() => this.#report(exchange, `declines ${ipv4Text(address)}`, true));
    });
  }

  /** The MAC address of the host that uses the address; undefined when no host was found. */
  async #userOf(exchange: Exchange, address: number): Promise<string | undefined> {
    if (!this.#probes(exchange)) return undefined;
    const user = await this.#on.neighbours?.find(address, exchange.machine !== undefined);
    if (user?.kind === 'remembered') return user.verdict;
    return user?.kind === 'user' ? user.mac : undefined;
  }

  #sendWhenStored(message: DhcpMessage, to: Destination, report: () => void): void {
    this.#services.turn.whenStored(() => {
      this.#on.send(encodeMessage(message), to);
      report();
    });
  }

  #report({ client: { mac } }: Exchange, text: string, hasFailed = false): void {
    const address = this.#services.leases.addressOf(mac);
    this.#services.reports.event({
      hop: 'dhcp',
      mac,
      ...(address !== undefined && { address: ipv4Text(address) }),
      text,
      ...(hasFailed && { failed: true }),
    });
  }
}

const verbOf = (type: 'offer' | 'acknowledge', address: number | undefined): string => {
  if (type === 'offer') return 'is offered';
  return address === undefined ? 'gets settings for its address' : 'gets';
};

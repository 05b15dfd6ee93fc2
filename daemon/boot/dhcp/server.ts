// The DHCP server of one network interface. It decodes each message, describes the client, decides what to do, replies, and
// reports what it did.
import { ipv4Text } from '../../lib/network/ipv4.ts';
import { bootFileOf } from '../boot-choice.ts';
import { type Leases, UNUSABLE_MILLISECONDS } from './addresses/leases.ts';
import { type Neighbours, VERDICT_MILLISECONDS } from './addresses/neighbours.ts';
import { describeClient } from './client.ts';
import { type Decision, decide } from './decide.ts';
import { type Arrival, type Exchange, exchangeOf, type Site } from './exchange.ts';
import { type Destination, destinationOf, grant, refusal } from './reply.ts';
import type { Reports } from './reports.ts';
import { rivalIn } from './rivals.ts';
import type { Turn } from './turn.ts';
import { decodeMessage, type DhcpMessage, encodeMessage } from './wire.ts';

/** What the servers of all interfaces share. */
export interface DhcpServices extends Site {
  readonly leases: Leases;
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
  /** Ends iPXE's wait for an IPv6 router; undefined: iPXE waits. */
  readonly advertise?: (() => void) | undefined;
}

// After this many addresses that turn out to be in use, the machine gets no answer, and asks again by itself
const MOST_ADDRESSES_TRIED = 8;

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
    const rival = rivalIn(request, ownAddresses);
    if (rival !== undefined) reports.rival(rival, this.#on.name);
    // a request whose relay is this server is this server's own search for rivals
    if (request.op === 'reply' || ownAddresses.has(request.relay)) return;
    const described = describeClient(request);
    if (described.kind === 'unsupported') return reports.ignored('dhcp', described.mac, described.reason);
    this.#answer(exchangeOf(this.#services, this.#on, request, described.client));
  }

  #answer(exchange: Exchange, addressesTried = 0): void {
    const { leases, servesUnknown, loops } = this.#services;
    const decision = decide({ ...exchange, leases, servesUnknown, loops, serverAddress: this.#on.address });
    if (decision.kind !== 'offer' || !this.#mustProbe(exchange, decision.address))
      return this.#carryOut(exchange, decision);
    void this.#probe(exchange, decision.address, addressesTried);
  }

  #carryOut(exchange: Exchange, decision: Decision): void {
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
      default:
        return this.#takeBack(exchange, decision);
    }
  }

  /** An address that the machine had before is not probed: the machine itself may still answer for it. */
  #mustProbe({ request, client, subnet }: Exchange, address: number): boolean {
    const isOnLink = request.relay === 0 && subnet?.interface === this.#on.name;
    const isFamiliar = this.#services.leases.of(client.mac)?.address === address;
    return isOnLink && this.#on.neighbours !== undefined && (!isFamiliar || this.#probing.has(client.mac));
  }

  /**
   * Looks for another host that uses the address. Offers the address if there is none; otherwise sets it aside and tries another
   * address. During the search the address is kept for the machine, and a repeated DISCOVER from the machine gets no answer of its
   * own.
   */
  async #probe(exchange: Exchange, address: number, addressesTried: number): Promise<void> {
    const { mac } = exchange.client;
    if (this.#probing.has(mac)) return;
    this.#probing.add(mac);
    this.#services.leases.offer(mac, address);
    const user = await this.#on.neighbours?.find(address);
    this.#probing.delete(mac);
    this.#services.turn.add(() => {
      if (user === undefined || user.kind === 'none' || user.mac === mac)
        return this.#carryOut(exchange, { kind: 'offer', address });
      if (user.kind === 'user') this.#setAside(exchange, address, user.mac);
      else {
        this.#services.leases.setAside(address, VERDICT_MILLISECONDS);
        void this.#awaitVerdict(exchange, address, user.verdict);
      }
      if (addressesTried + 1 < MOST_ADDRESSES_TRIED) this.#answer(exchange, addressesTried + 1);
    });
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
    const message = grant(request, type, {
      yourAddress: address ?? 0,
      leaseSeconds: address === undefined ? undefined : this.#services.leaseSeconds,
      subnet,
      serverAddress: this.#on.address,
      stage: client.stage,
      boot,
    });
    if (client.stage === 'ipxe') this.#on.advertise?.();
    const file = boot && bootFileOf(boot);
    const has = address ?? request.clientAddress;
    this.#sendWhenStored(message, destinationOf(request, type === 'offer' ? 0 : has), () => {
      const what = ipv4Text(has) + (file === undefined ? '' : ` and ${file}`);
      this.#report(exchange, `${verbOf(type, address)} ${what} (${client.stage})`);
      if (type === 'acknowledge' && file !== undefined)
        this.#services.reports.bootFileGiven({ client, file, transactionId: request.transactionId });
    });
  }

  #refuse(exchange: Exchange, reason: string): void {
    const message = refusal(exchange.request, this.#on.address, reason);
    this.#sendWhenStored(message, destinationOf(exchange.request, 0), () =>
      this.#report(exchange, `must drop its address: ${reason}`, true),
    );
  }

  #takeBack(
    exchange: Exchange,
    { kind, address }: { readonly kind: 'release' | 'decline'; readonly address: number },
  ): void {
    const { leases, turn } = this.#services;
    if (kind === 'release') leases.release(exchange.client.mac, address);
    else leases.setAside(address, UNUSABLE_MILLISECONDS);
    const what = kind === 'release' ? 'gives back' : 'found another host that uses';
    turn.whenStored(() => this.#report(exchange, `${what} ${ipv4Text(address)}`, kind === 'decline'));
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

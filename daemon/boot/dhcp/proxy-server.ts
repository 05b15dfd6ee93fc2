// The ProxyDHCP server of one network interface: another server gives addresses; this server says what to boot.
import { bootFileOf } from '../boot-choice.ts';
import { describeClient } from './client.ts';
import { messageTypeOf } from './decide.ts';
import { type Arrival, type Exchange, exchangeOf, reasonForSilence, type DhcpSite } from './exchange.ts';
import { type Destination, destinationOf, proxyGrant } from './reply.ts';
import type { Reports } from './reports.ts';
import { decodeMessage, encodeMessage, messageType } from './wire.ts';

export interface ProxyServices extends DhcpSite {
  readonly reports: Reports;
}

type Send = (bytes: Uint8Array, to: Destination) => void;

export class ProxyDhcpServer {
  readonly #services: ProxyServices;
  readonly #on: Arrival;

  constructor(services: ProxyServices, on: Arrival) {
    this.#services = services;
    this.#on = on;
  }

  /** Answers a DISCOVER on port 67, which clients send to all servers. */
  receiveDiscover(datagram: Uint8Array, send: Send): void {
    const exchange = this.#bootRequestIn(datagram);
    if (exchange === undefined || messageTypeOf(exchange.request) !== messageType.discover) return;
    send(this.#answer(exchange, 'offer'), destinationOf(exchange.request, 0));
  }

  /**
   * Answers a REQUEST on port 4011, which a client that has an address sends to this server only; the reply goes to the sender.
   */
  receiveRequest(datagram: Uint8Array, from: Destination, send: Send): void {
    const exchange = this.#bootRequestIn(datagram);
    if (exchange === undefined || messageTypeOf(exchange.request) !== messageType.request) return;
    send(this.#answer(exchange, 'acknowledge'), from);
  }

  /**
   * Returns the message and what its answer depends on. Returns undefined when the message cannot be read or is a reply, or when
   * its sender is not supported, is not served, does not boot from the network, or has nothing to boot.
   */
  #bootRequestIn(datagram: Uint8Array): Exchange | undefined {
    const { reports } = this.#services;
    const decoded = decodeMessage(datagram);
    if (decoded.kind === 'malformed' || decoded.message.op === 'reply') return undefined;
    const described = describeClient(decoded.message, this.#services.machines);
    if (described.kind === 'unsupported') {
      reports.ignored('proxydhcp', described.mac, described.reason);
      return undefined;
    }
    const { client } = described;
    reports.heard(decoded.message, client);
    if (client.stage === 'os') return undefined;
    const exchange = exchangeOf(this.#services, this.#on, decoded.message, client);
    if (exchange.boot !== undefined) return exchange;
    const reason = reasonForSilence(this.#services, client, exchange) ?? 'there is nothing to boot';
    reports.ignored('proxydhcp', client.mac, `${reason} (${client.stage})`);
    return undefined;
  }

  #answer({ request, client, boot }: Exchange, type: 'offer' | 'acknowledge'): Uint8Array {
    const { reports } = this.#services;
    const message = proxyGrant(request, type, { serverAddress: this.#on.address, stage: client.stage, boot });
    const file = boot === undefined ? '' : bootFileOf(boot);
    reports.event({ hop: 'proxydhcp', mac: client.mac, text: `is told to boot ${file} (${client.stage})` });
    if (type === 'offer') reports.bootFileGiven({ client, file });
    return encodeMessage(message);
  }
}

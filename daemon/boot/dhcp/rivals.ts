// Other DHCP servers on the network. Anybody can name one in a message, so only a server that answers this server's own search
// counts; a message that names one makes the search begin soon.
import { randomInt } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { addressOption, optionCode } from './options.ts';
import { serverIdFor } from './requests/relay-agent.ts';
import { type DhcpMessage, messageType } from './wire.ts';

const ETHERNET = 1;
const SEARCH_MILLISECONDS = 600_000;
/** The shortest time between two searches. */
const PAUSE_MILLISECONDS = 60_000;
/** How long servers may take to answer. */
const ANSWER_MILLISECONDS = 10_000;
/** How long a program that searches once waits: a dnsmasq that first looks whether an address is free answers after three seconds. */
export const RIVAL_WAIT_MILLISECONDS = 4500;

interface SearchParts {
  readonly clock: Clock;
  /** How many transaction IDs there are. */
  readonly transactionIds: number;
  /** Asks all servers on the interface. */
  readonly ask: (transactionId: number) => void;
}

/** Searches one interface at once, every ten minutes, and when a client names another server. */
export class RivalSearch {
  readonly #parts: SearchParts;
  #transactionId = 0;
  #begunAt = 0;
  #cancel: () => void = () => {};

  constructor(parts: SearchParts) {
    this.#parts = parts;
    this.#search();
  }

  /** A client has named another server. */
  hint(): void {
    if (this.#age >= PAUSE_MILLISECONDS) this.#search();
  }

  /** Whether the reply answers the search that is running. */
  isAnswer({ transactionId }: Pick<DhcpMessage, 'transactionId'>): boolean {
    return transactionId === this.#transactionId && this.#age < ANSWER_MILLISECONDS;
  }

  end(): void {
    this.#cancel();
  }

  get #age(): number {
    return this.#parts.clock.monotonic() - this.#begunAt;
  }

  #search(): void {
    const { clock, transactionIds, ask } = this.#parts;
    this.#cancel();
    this.#cancel = clock.after(SEARCH_MILLISECONDS, () => this.#search());
    this.#begunAt = clock.monotonic();
    this.#transactionId = randomInt(transactionIds);
    ask(this.#transactionId);
  }
}

/**
 * A DISCOVER that this server sends like a relay, with the MAC address of this host as the client: other servers answer to the
 * relay's address, which is this server's. The message only asks for offers, and leaves no lease behind.
 */
export const searchMessage = (mac: string, serverAddress: number, transactionId: number): DhcpMessage => ({
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
export function rivalIn(message: DhcpMessage, own: ReadonlySet<number>): number | undefined {
  const { op, yourAddress, options } = message;
  const server = addressOption(options, optionCode.serverId);
  // a relay has the client take this address for the server's
  if (server === serverIdFor(message)) return undefined;
  if (server === undefined || own.has(server) || (op === 'reply' && yourAddress === 0)) return undefined;
  return server;
}

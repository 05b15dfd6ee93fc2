// Looks for a host that uses an address, without privileges: a datagram to the address makes the kernel ask for its
// hardware address, and the kernel's table of neighbours has the answer.
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../../lib/clock.ts';
import { ipv4Text } from '../../../lib/ipv4.ts';

/** `/proc/net` may be hidden from services (ProcSubset=pid); this is the same table. */
const TABLE = '/proc/self/net/arp';
/** A neighbour answers within a millisecond or two; a client's first offer is delayed by the whole time. */
const WAIT_MILLISECONDS = 100;
// The kernel's table has 1,024 places by default and serves the whole host
const MOST_PROBES = 64;
const DISCARD_PORT = 9;
const COMPLETE = 0x2;

interface NeighbourRequest {
  readonly clock: Clock;
  readonly send: (bytes: Uint8Array, to: { readonly address: number; readonly port: number }) => void;
  readonly readTable?: () => Promise<string>;
}

export class Neighbours {
  readonly #request: NeighbourRequest;
  readonly #waiting = new Map<number, Promise<string | undefined>>();

  constructor(request: NeighbourRequest) {
    this.#request = request;
  }

  /** Returns the MAC address of the host that uses the address. Undefined: none, or too many probes at once. */
  find(address: number): Promise<string | undefined> {
    const running = this.#waiting.get(address);
    if (running !== undefined) return running;
    if (this.#waiting.size >= MOST_PROBES) return Promise.resolve(undefined);
    const probe = this.#probe(address).finally(() => this.#waiting.delete(address));
    this.#waiting.set(address, probe);
    return probe;
  }

  async #probe(address: number): Promise<string | undefined> {
    const { clock, send, readTable = () => readFile(TABLE, 'latin1') } = this.#request;
    send(new Uint8Array(1), { address, port: DISCARD_PORT });
    await new Promise<void>((resolve) => clock.after(WAIT_MILLISECONDS, resolve));
    // on a host that hides the table, addresses are offered without this check
    return macInTable(await readTable().catch(() => ''), ipv4Text(address));
  }
}

/** Lines are `10.0.0.5  0x1  0x2  52:54:00:00:00:05  *  br0`, below a line of headings. */
export function macInTable(table: string, address: string): string | undefined {
  const line = table.split('\n').find((each) => each.startsWith(`${address} `));
  const [, , flags, mac] = line?.split(' ').filter((word) => word !== '') ?? [];
  return (Number(flags) & COMPLETE) === COMPLETE ? mac : undefined;
}

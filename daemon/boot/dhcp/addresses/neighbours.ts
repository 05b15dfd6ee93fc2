// Looks for a host that uses an address, without privileges: a datagram to the address makes the kernel send an ARP
// request, and the answer appears in the kernel's neighbour table.
import { readFile } from 'node:fs/promises';
import type { Clock } from '../../../lib/clock.ts';
import { ipv4Text } from '../../../lib/network/ipv4.ts';
import { dhcpLimits } from '../../limits.ts';

/** The kernel's neighbour table. `/proc/net` may be hidden from services (ProcSubset=pid), this path never is. */
const TABLE = '/proc/self/net/arp';
/** How long an answer may take: hosts answer within a millisecond or two, and a client's first offer waits this long. */
const WAIT_MILLISECONDS = 100;
const DISCARD_PORT = 9;
const COMPLETE = 0x2;

export type Neighbour =
  | { readonly kind: 'none' }
  /** Too many probes are running. */
  | { readonly kind: 'unprobed' }
  | { readonly kind: 'user'; readonly mac: string }
  /**
   * The host was in the table before the probe, but may be gone. `verdict` resolves after VERDICT_MILLISECONDS with the MAC address
   * of the host that uses the address then; undefined if none does.
   */
  | { readonly kind: 'remembered'; readonly mac: string; readonly verdict: Promise<string | undefined> };

/** The kernel waits 5 s for a sign of life, then asks the remembered host three times within 3 s. */
export const VERDICT_MILLISECONDS = 10_000;

const NONE: Neighbour = { kind: 'none' };

interface NeighbourRequest {
  readonly clock: Clock;
  readonly send: (bytes: Uint8Array, to: { readonly address: number; readonly port: number }) => void;
  readonly readTable?: () => Promise<string>;
}

export class Neighbours {
  readonly #request: NeighbourRequest;
  readonly #waiting = new Map<number, Promise<Neighbour>>();

  constructor(request: NeighbourRequest) {
    this.#request = request;
  }

  /** Returns the host that uses the address. `forKnown`: whether a machine with a port is to get the address. */
  find(address: number, forKnown: boolean): Promise<Neighbour> {
    const running = this.#waiting.get(address);
    if (running !== undefined) return running;
    if (this.#waiting.size >= (forKnown ? dhcpLimits.probes : dhcpLimits.probesForUnknown))
      return Promise.resolve({ kind: 'unprobed' });
    const probe = this.#probe(address).finally(() => this.#waiting.delete(address));
    this.#waiting.set(address, probe);
    return probe;
  }

  async #probe(address: number): Promise<Neighbour> {
    const { clock, send } = this.#request;
    const before = await this.#macOf(address);
    send(new Uint8Array(1), { address, port: DISCARD_PORT });
    const macAfter = async (milliseconds: number) => {
      await new Promise<void>((resolve) => clock.after(milliseconds, resolve));
      return this.#macOf(address);
    };
    if (before !== undefined)
      return { kind: 'remembered', mac: before, verdict: macAfter(VERDICT_MILLISECONDS) };
    const mac = await macAfter(WAIT_MILLISECONDS);
    return mac === undefined ? NONE : { kind: 'user', mac };
  }

  /** When the table cannot be read, no address counts as used. */
  async #macOf(address: number): Promise<string | undefined> {
    const { readTable = () => readFile(TABLE, 'latin1') } = this.#request;
    return macInTable(await readTable().catch(() => ''), ipv4Text(address));
  }
}

/** Lines are `10.0.0.5  0x1  0x2  52:54:00:00:00:05  *  br0`, below a line of headings. */
export function macInTable(table: string, address: string): string | undefined {
  const line = table.split('\n').find((each) => each.startsWith(`${address} `));
  const [, , flags, mac] = line?.split(' ').filter((word) => word !== '') ?? [];
  return (Number(flags) & COMPLETE) === COMPLETE ? mac : undefined;
}

// What operators learn from the DHCP server: events of machines, and warnings. Reports that would be the same for many packets
// are made once in a while.
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { Seldom } from '../../lib/limits/seldom.ts';
import type { BootEvent, RecordBootEvent } from '../boot-event.ts';
import type { BootLoops, GivenFile } from '../boot-loops.ts';
import type { Client } from './client.ts';
import type { KnownMachines } from './known-machines.ts';
import { type DhcpHint, hintIn } from './requests/bmc-hint.ts';
import type { DhcpMessage } from './wire.ts';

/** The shortest time between two equal reports about a machine without a node, or about no single machine. */
const PAUSE_MILLISECONDS = 3_600_000;
// shorter than any wait for a ramdisk, so that each failed boot has its own event
const PAUSE_OF_KNOWN_MILLISECONDS = 30_000;
// shorter than the interval of the search for other servers, so that each search stores its result
const PAUSE_OF_RIVALS_MILLISECONDS = 300_000;

export interface ReportParts {
  readonly log: Logger;
  readonly record: RecordBootEvent;
  readonly clock: Clock;
  readonly db: Pick<Database, 'dhcpRivals'>;
  readonly loops: BootLoops;
  readonly machines: Pick<KnownMachines, 'byMac'>;
  /** Told of machines without a port, which may be BMCs. */
  readonly hear: (hint: DhcpHint) => void;
}

export class Reports {
  readonly log: Logger;
  readonly #parts: ReportParts;
  readonly #seldom: Seldom;
  readonly #ofKnown: Seldom;
  readonly #ofRivals: Seldom;

  constructor(parts: ReportParts) {
    this.log = parts.log;
    this.#parts = parts;
    this.#seldom = new Seldom(parts.clock, PAUSE_MILLISECONDS);
    this.#ofKnown = new Seldom(parts.clock, PAUSE_OF_KNOWN_MILLISECONDS);
    this.#ofRivals = new Seldom(parts.clock, PAUSE_OF_RIVALS_MILLISECONDS);
  }

  event(event: BootEvent): void {
    this.#parts.record(event);
  }

  /** Passes on what a machine without a port says of itself. */
  heard(request: DhcpMessage, client: Client): void {
    const hint = hintIn(request, client);
    if (hint !== undefined) this.heardHint(hint);
  }

  /** Passes on the hint, unless a port has its MAC address. */
  heardHint(hint: DhcpHint): void {
    if (this.#nodeOf(hint.mac) === undefined) this.#parts.hear(hint);
  }

  #nodeOf(mac: string): string | undefined {
    return this.#parts.machines.byMac(mac)?.node.uuid;
  }

  /**
   * Reports that the machine gets no answer. Most machines without a node belong to other servers, so each of them is reported at
   * most once an hour for each reason; a machine with a node is reported at most every 30 seconds for each reason.
   */
  ignored(hop: BootEvent['hop'], mac: string | undefined, reason: string): void {
    this.log.debug({ mac, reason }, 'DHCP: no answer');
    if (mac === undefined) return;
    const seldom = this.#nodeOf(mac) === undefined ? this.#seldom : this.#ofKnown;
    if (seldom.isDue(`${mac} ${reason}`))
      this.event({ hop, mac, text: `gets no answer: ${reason}`, failed: true });
  }

  poolFull(reason: string): void {
    if (!this.#seldom.isDue(reason)) return;
    this.log.warn({}, `DHCP: ${reason}; extend the range in [dhcp_server] subnet, or shorten lease_time`);
    this.event({ hop: 'dhcp', text: `a machine gets no address: ${reason}`, failed: true });
  }

  bootFileGiven(given: GivenFile): void {
    const loop = this.#parts.loops.countReply(given);
    if (loop === undefined) return;
    const { mac, stage } = given.client;
    const text =
      this.#nodeOf(mac) !== undefined
        ? loop.text
        : `${loop.text}; unless a node waits for an inspection report, it gets no boot file for the next ${loop.pauseMinutes} min`;
    this.log.warn({ mac, stage, file: given.file }, `DHCP: a machine ${text}`);
    this.event({ hop: 'dhcp', mac, text, failed: true });
  }

  /** `address`: of the other server, in canonical form. */
  rival(address: string, onInterface: string): void {
    if (!this.#ofRivals.isDue(address)) return;
    const { db, clock } = this.#parts;
    const isStored = db.dhcpRivals.put({ address, interface: onInterface, last_seen: clock.now() });
    if (!isStored || !this.#seldom.isDue(`server ${address}`)) return;
    this.log.warn(
      { server: address, interface: onInterface },
      `DHCP: another DHCP server, ${address}, gives addresses on ${onInterface}. Machines may boot the files that it names: switch that server off, or set [dhcp_server] mode = proxy`,
    );
  }
}

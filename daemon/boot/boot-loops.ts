// Notices boot loops: a machine asks for a boot file at the same boot stage again and again, and no ramdisk reports
// from it. A machine without a node then gets no boot file for a while.
import type { Clock } from '../lib/clock.ts';
import { RecentMap } from '../lib/recent-map.ts';
import type { BootStage, Client } from './dhcp/client.ts';

const MINUTE = 60_000;
const WINDOW_MILLISECONDS = 10 * MINUTE;
const TIMES = 5;
// A client that got no answer repeats its request with the same transaction ID. Some clients use one ID for all requests, so a
// request counts as repeated only for this long.
const REPEATED_MILLISECONDS = 10_000;
const SHORTEST_PAUSE_MINUTES = 10;
const LONGEST_PAUSE_MINUTES = 24 * 60;
const MOST_MACHINES = 10_000;

interface Count {
  readonly since: number;
  readonly times: number;
  readonly lastAt: number;
  readonly transactionId: number;
}

interface Machine {
  readonly counts: ReadonlyMap<BootStage, Count>;
  readonly pauseMinutes: number;
  readonly pausedUntil: number;
}

const NEW: Machine = { counts: new Map(), pauseMinutes: 0, pausedUntil: 0 };

/** A boot file that a DHCP reply named to a client. */
export interface GivenFile {
  readonly client: Client;
  readonly file: string;
  readonly transactionId: number;
}

export interface BootLoop {
  /** The text of a warning, without its subject, which is the machine. */
  readonly text: string;
  /** How long from now the machine gets no boot file, unless it has a node. */
  readonly pauseMinutes: number;
}

export class BootLoops {
  readonly #clock: Clock;
  readonly #machines = new RecentMap<string, Machine>(MOST_MACHINES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a reply that names a boot file. Returns the loop at the fifth boot at the same stage within ten minutes of the first
   * counted boot, and then counts from zero; otherwise returns undefined.
   */
  countReply({ client: { mac, stage }, file, transactionId }: GivenFile): BootLoop | undefined {
    const now = this.#clock.monotonic();
    const machine = this.#machines.get(mac) ?? NEW;
    const before = machine.counts.get(stage);
    if (before?.transactionId === transactionId && now < before.lastAt + REPEATED_MILLISECONDS)
      return undefined;
    const isFresh = before !== undefined && now < before.since + WINDOW_MILLISECONDS;
    const [since, times] = isFresh ? [before.since, before.times + 1] : [now, 1];
    if (times < TIMES) {
      const count = { since, times, lastAt: now, transactionId };
      this.#machines.set(mac, { ...machine, counts: new Map([...machine.counts, [stage, count]]) });
      return undefined;
    }
    const pauseMinutes = Math.min(
      Math.max(SHORTEST_PAUSE_MINUTES, machine.pauseMinutes * 2),
      LONGEST_PAUSE_MINUTES,
    );
    this.#machines.set(mac, { counts: new Map(), pauseMinutes, pausedUntil: now + pauseMinutes * MINUTE });
    const minutes = Math.max(1, Math.ceil((now - since) / MINUTE));
    const text = `was told to boot ${file} (stage ${stage}) ${TIMES} times in ${minutes} min, and no ramdisk reported: it is in a boot loop, or cannot load or start that file`;
    return { text, pauseMinutes };
  }

  /** Whether the machine is in the pause after a boot loop, in which it gets no boot file unless it has a node. */
  isPaused(mac: string): boolean {
    return this.#clock.monotonic() < (this.#machines.get(mac)?.pausedUntil ?? 0);
  }

  /** Forgets the machine's boots: the daemon has switched its power, or its ramdisk has reported. */
  forget(mac: string): void {
    if (this.#machines.get(mac) !== undefined) this.#machines.set(mac, NEW);
  }
}

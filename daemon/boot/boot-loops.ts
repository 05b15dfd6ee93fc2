// Notices boot loops: a machine asks for a boot file at the same boot stage again and again, and no ramdisk reports
// from it. A machine without a node then gets no boot file for a while.
import type { Clock } from '../lib/clock.ts';
import { RecentMap } from '../lib/limits/recent-map.ts';
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

interface Boots {
  /** When each boot of the last ten minutes began, in milliseconds of the monotonic clock. */
  readonly at: readonly number[];
  /** The DHCP transaction of the last boot. */
  readonly transactionId: number;
}

interface Machine {
  readonly boots: ReadonlyMap<BootStage, Boots>;
  readonly pauseMinutes: number;
  readonly pausedUntil: number;
}

const NEW: Machine = { boots: new Map(), pauseMinutes: 0, pausedUntil: 0 };

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
   * Counts a reply that names a boot file, unless it answers a repeated request. Returns the loop at the fifth boot at the same
   * stage within ten minutes, and then counts from zero; otherwise returns undefined.
   */
  countReply({ client: { mac, stage }, file, transactionId }: GivenFile): BootLoop | undefined {
    const now = this.#clock.monotonic();
    const machine = this.#machines.get(mac) ?? NEW;
    const before = machine.boots.get(stage) ?? { at: [], transactionId: undefined };
    const lastAt = before.at.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (before.transactionId === transactionId && now < lastAt + REPEATED_MILLISECONDS) return undefined;
    const at = [...before.at.filter((time) => now < time + WINDOW_MILLISECONDS), now];
    if (at.length < TIMES) {
      const boots = new Map(machine.boots).set(stage, { at, transactionId });
      this.#machines.set(mac, { ...machine, boots });
      return undefined;
    }
    const [first = now] = at;
    const pauseMinutes = Math.min(
      Math.max(SHORTEST_PAUSE_MINUTES, machine.pauseMinutes * 2),
      LONGEST_PAUSE_MINUTES,
    );
    this.#machines.set(mac, { boots: new Map(), pauseMinutes, pausedUntil: now + pauseMinutes * MINUTE });
    const minutes = Math.max(1, Math.ceil((now - first) / MINUTE));
    const text = `was told to boot ${file} (stage ${stage}) ${TIMES} times in ${minutes} min, and no ramdisk reported: it is in a boot loop, or cannot load or start that file`;
    return { text, pauseMinutes };
  }

  /** Whether the machine is in the pause after a boot loop, in which it gets no boot file unless it has a node. */
  isPaused(mac: string): boolean {
    return this.#clock.monotonic() < (this.#machines.get(mac)?.pausedUntil ?? 0);
  }

  /** Forgets the machine's boots and its pause, because the daemon has switched its power or its ramdisk has reported. */
  forget(mac: string): void {
    if (this.#machines.get(mac) !== undefined) this.#machines.set(mac, NEW);
  }
}

// Notices machines that boot in circles: they are told to boot the same file again and again, and what they boot never
// reports. Machines without a node are then not booted for a while.
import type { Clock } from '../lib/clock.ts';
import { RecentMap } from '../lib/recent-map.ts';
import type { BootStage, Client } from './dhcp/client.ts';

const MINUTE = 60_000;
const WINDOW_MILLISECONDS = 10 * MINUTE;
const TIMES = 5;
// A request of the same transaction is sent again when its answer was lost; some clients have one number for all
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

/** A boot file that a client got. */
export interface GivenFile {
  readonly client: Client;
  readonly file: string;
  readonly transactionId: number;
}

export interface BootLoop {
  /** A sentence without its subject, the machine. */
  readonly text: string;
  /** How long the machine is not booted from now on, unless it has a node. */
  readonly pauseMinutes: number;
}

export class BootLoops {
  readonly #clock: Clock;
  readonly #machines = new RecentMap<string, Machine>(MOST_MACHINES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the loop at every fifth boot of a stage within ten minutes. */
  given({ client: { mac, stage }, file, transactionId }: GivenFile): BootLoop | undefined {
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
    const text = `was told to boot ${file} as ${stage} ${TIMES} times in ${minutes} min, and no ramdisk reported: it boots in circles, or cannot load or start that file`;
    return { text, pauseMinutes };
  }

  /** Whether a machine without a node is not booted now. */
  isPaused(mac: string): boolean {
    return this.#clock.monotonic() < (this.#machines.get(mac)?.pausedUntil ?? 0);
  }

  /** The machine was switched on or off by the daemon, or its ramdisk has reported: what it boots next is its first boot. */
  forget(mac: string): void {
    if (this.#machines.get(mac) !== undefined) this.#machines.set(mac, NEW);
  }
}

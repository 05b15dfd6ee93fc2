// Notices boot loops: a machine boots at the same stage again and again, and no ramdisk reports from it. Anybody on the network
// can send requests in a machine's name, so a loop ends no work: operators are told, and a machine without a node gets no boot
// file for a while.
import type { Clock } from '../lib/clock.ts';
import { RecentMap } from '../lib/limits/recent-map.ts';
import type { BootStage, Client } from './dhcp/client.ts';
import { bootLoopLimits } from './limits.ts';

const MINUTE = 60_000;

interface Machine {
  /** When each boot of the last ten minutes began, in milliseconds of the monotonic clock. */
  readonly boots: ReadonlyMap<BootStage, readonly number[]>;
  /** What the machine does, if it is in a loop: a sentence without its subject and its full stop. */
  readonly loop?: string;
  readonly pauseMinutes: number;
  readonly pausedUntil: number;
}

const NEW: Machine = { boots: new Map(), pauseMinutes: 0, pausedUntil: 0 };

/** A boot file that a DHCP reply named to a client. */
export interface GivenFile {
  readonly client: Client;
  readonly file: string;
}

export interface BootLoop {
  /** The text of a warning, without its subject, which is the machine. */
  readonly text: string;
  /** How long from now the machine gets no boot file, unless it has a node. */
  readonly pauseMinutes: number;
}

export class BootLoops {
  readonly #clock: Clock;
  readonly #machines = new RecentMap<string, Machine>(bootLoopLimits.machines);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a reply that names a boot file as a boot, unless the machine's last boot has only just begun. Returns the loop at the
   * fifth boot at the same stage within ten minutes, and then counts from zero; otherwise returns undefined.
   */
  countReply({ client: { mac, stage }, file }: GivenFile): BootLoop | undefined {
    const now = this.#clock.monotonic();
    const machine = this.#machines.get(mac) ?? NEW;
    const before = machine.boots.get(stage) ?? [];
    if (now < (before.at(-1) ?? Number.NEGATIVE_INFINITY) + bootLoopLimits.repetitionMilliseconds)
      return undefined;
    const boots = [...before.filter((time) => now < time + bootLoopLimits.windowMinutes * MINUTE), now];
    if (boots.length < bootLoopLimits.boots) {
      this.#machines.set(mac, { ...machine, boots: new Map(machine.boots).set(stage, boots) });
      return undefined;
    }
    const [first = now] = boots;
    const pauseMinutes = Math.min(
      Math.max(bootLoopLimits.shortestPauseMinutes, machine.pauseMinutes * 2),
      bootLoopLimits.longestPauseMinutes,
    );
    const minutes = Math.max(1, Math.ceil((now - first) / MINUTE));
    const text = `was told to boot ${file} (stage ${stage}) ${bootLoopLimits.boots} times in ${minutes} min, and no ramdisk reported: it is in a boot loop, or cannot load or start that file`;
    const pausedUntil = now + pauseMinutes * MINUTE;
    this.#machines.set(mac, { boots: new Map(), loop: text, pauseMinutes, pausedUntil });
    return { text, pauseMinutes };
  }

  /** What the machine does, as `BootLoop.text` says it; undefined when it is in no loop. */
  loopOf(mac: string): string | undefined {
    return this.#machines.get(mac)?.loop;
  }

  /** Whether the machine is in the pause after a boot loop, in which it gets no boot file unless it has a node. */
  isPaused(mac: string): boolean {
    return this.#clock.monotonic() < (this.#machines.get(mac)?.pausedUntil ?? 0);
  }

  /** Forgets the machine's boots, its loop and its pause, because the daemon has switched its power or its ramdisk has reported. */
  forget(mac: string): void {
    if (this.#machines.get(mac) !== undefined) this.#machines.set(mac, NEW);
  }
}

// Watches whether a plugin's process still answers. A process that does not, although it has had time of its own, is reported as
// blocked: it loops forever, waits in a system call, or is stopped.
import type { Clock } from '../../lib/clock.ts';
import { type OwnTime, OwnTimeMeter, sumOf, type ThreadReading } from '../../lib/limits/own-time.ts';
import type { Peer } from './border/peer.ts';

const LOOK_MILLISECONDS = 1000;
/**
 * A process must answer a ping when it has sent nothing for this long. If nobody waits for the process, only the time in which it
 * computes counts.
 */
const SILENCE_MILLISECONDS = 2500;
/** A process counts as blocked when it has sent nothing for this long. All times are the process's own time. */
const BLOCKED_MILLISECONDS = 10_000;
/** How long each kind of process may compute without sending anything. */
export const computingLimits = { ofOperations: 5000, ofHooks: 10_000, ofCheck: 10_000 } as const;

interface Watched {
  readonly clock: Clock;
  readonly peer: Pick<Peer, 'ask' | 'isPaused' | 'waiting'>;
  /** Reads the first thread of the process, which must answer. */
  readonly read: () => ThreadReading | undefined;
  /** A process that has computed for this long without sending anything counts as blocked too. */
  readonly longestComputing: number;
  /** Called once. `reason`: a clause in which `it` is the plugin. */
  readonly blocked: (reason: string) => void;
}

export class LifeSigns {
  readonly #watched: Watched;
  readonly #meter: OwnTimeMeter;
  #isHeard = false;
  #isPinged = false;
  #cancelLook: () => void;

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#meter = new OwnTimeMeter(watched.read);
    this.#cancelLook = this.#lookLater();
  }

  /** Call this when the process has sent something, or is asked a question while it owes no answer. */
  heard(): void {
    this.#isHeard = true;
  }

  end(): void {
    this.#cancelLook();
  }

  #lookLater(): () => void {
    return this.#watched.clock.after(LOOK_MILLISECONDS, () => this.#look());
  }

  #look(): void {
    const { peer, blocked, longestComputing } = this.#watched;
    this.#cancelLook = this.#lookLater();
    if (this.#isHeard || peer.isPaused) return this.#begin();
    const spent = this.#meter.look();
    // a process that nobody waits for is pinged only if it uses the processor, so that idle processes are left alone
    if (peer.waiting === 0) {
      if (spent.computed < SILENCE_MILLISECONDS) return;
      this.#begin();
      this.#ping();
    } else if (spent.computed >= longestComputing || sumOf(spent) >= BLOCKED_MILLISECONDS) {
      this.end();
      blocked(told(spent));
    } else if (sumOf(spent) >= SILENCE_MILLISECONDS && !this.#isPinged) this.#ping();
  }

  #begin(): void {
    this.#isHeard = false;
    this.#isPinged = false;
    this.#meter.restart();
  }

  #ping(): void {
    this.#isPinged = true;
    this.#watched.peer.ask({ value: { ping: true } }).catch(() => undefined);
  }
}

const inSeconds = (milliseconds: number): number => Math.round(milliseconds / 1000);

const told = ({ computed, slept }: OwnTime): string =>
  computed >= slept
    ? `it has computed for ${inSeconds(computed)} s without a pause, as an endless loop does, and was ended`
    : `it has blocked its process for ${inSeconds(slept)} s, as a system call that waits does, and was ended; a plugin must wait with promises`;

// Watches whether a plugin's process still answers: a process that loops forever, or is stopped, is reported as blocked.
import { readFileSync } from 'node:fs';
import type { Clock } from '../../lib/clock.ts';
import type { Peer } from './border/peer.ts';

/** A process that owes the daemon an answer, and has sent nothing for this long, must answer a ping. */
const SILENCE_MILLISECONDS = 5000;
/**
 * A process that has used this much processor time since it last sent something counts as looping. It is killed when it has sent
 * nothing for twice `SILENCE_MILLISECONDS`.
 */
const BUSY_MILLISECONDS = 2500;
/** A process that does not count as looping is killed only after this long: an overloaded host may keep it from running. */
const LONGEST_SILENCE_MILLISECONDS = 30_000;
/** The kernel's unit of processor times, on all platforms that Node.js supports. */
const MILLISECONDS_PER_TICK = 10;

interface Watched {
  readonly clock: Clock;
  readonly peer: Pick<Peer, 'ask' | 'isPaused' | 'waiting'>;
  /** The processor time that the process has used so far. */
  readonly usedMilliseconds: () => number;
  /** Called once, with the time for which the process has been silent. */
  readonly blocked: (seconds: number) => void;
}

export class LifeSigns {
  readonly #watched: Watched;
  #heard: number;
  /** The processor time that the process had used when something was last heard, or a little later. */
  #used = 0;
  #cancelLook: () => void;

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#heard = watched.clock.monotonic();
    this.#cancelLook = this.#lookLater();
  }

  /** Call this when the process has sent something, or is asked a question while it owes no answer. */
  heard(): void {
    this.#heard = this.#watched.clock.monotonic();
  }

  end(): void {
    this.#cancelLook();
  }

  #lookLater(): () => void {
    return this.#watched.clock.after(SILENCE_MILLISECONDS, () => this.#look());
  }

  // a process that nobody waits for is pinged only if it uses the processor, so that idle processes are left alone
  #look(): void {
    const { clock, peer, blocked } = this.#watched;
    this.#cancelLook = this.#lookLater();
    if (peer.isPaused) this.heard();
    const silence = clock.monotonic() - this.#heard;
    const used = this.#watched.usedMilliseconds();
    const isBusy = used - this.#used >= BUSY_MILLISECONDS;
    if (silence < SILENCE_MILLISECONDS) {
      this.#used = used;
      return;
    }
    if (peer.waiting === 0) {
      if (!isBusy) return;
      this.heard();
      this.#used = used;
    } else if (silence >= (isBusy ? 2 * SILENCE_MILLISECONDS : LONGEST_SILENCE_MILLISECONDS)) {
      this.end();
      return blocked(Math.round(silence / 1000));
    }
    peer.ask({ value: { ping: true } }).catch(() => undefined);
  }
}

/** The processor time that the process and its threads have used; 0 when it has ended. */
export function usedMilliseconds(pid: number | undefined): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // the name of the program in parentheses may contain anything
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MILLISECONDS_PER_TICK;
  } catch {
    return 0;
  }
}

// Tries again to serve what could not be served because a network interface, its link or an address was missing. It tries
// whenever the kernel reports a change of the network, so the daemon can start whatever the state of its network is.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';

/**
 * What an attempt to serve came to. `done`: it succeeded, and needs no further attempt. `serving`: it succeeded, and is repeated
 * after each further change. `missing`: what is missing, as a sentence without its full stop; the attempt is repeated too.
 */
export type Attempt = 'done' | 'serving' | { readonly missing: string };

/** Called when something turns out to be missing, with what is missing, and again with undefined when it is there. */
export type ReportMissing = (what: string, missing: string | undefined) => void;

interface Follower {
  /** What is to be served, such as `DHCP on br0`. */
  readonly what: string;
  /** Only changes of this interface matter; not set: all changes matter. */
  readonly onInterface?: string;
  readonly attempt: () => Promise<Attempt>;
}

interface Followed extends Follower {
  missing: string | undefined;
  trying: Promise<void> | undefined;
  isDue: boolean;
}

// a change of an interface makes several lines
const QUIET_MILLISECONDS = 50;
const MONITOR_START_MILLISECONDS = 1000;
/** When the monitor has ended, or the program is not there, everything is tried again after this time. */
const WITHOUT_MONITOR_MILLISECONDS = 5000;
// the kernel ends the monitor together with the daemon
const MONITOR = ['--pdeathsig', 'KILL', 'ip', '-oneline', 'monitor', 'link', 'address'];

export class Links {
  readonly #clock: Clock;
  readonly #told: ReportMissing;
  readonly #missing = new Map<string, string>();
  readonly #followed = new Set<Followed>();
  #monitor: ChildProcess | undefined;
  #restart: NodeJS.Timeout | undefined;
  #cancelLook: (() => void) | undefined;
  #lookAt = Infinity;

  constructor(clock: Clock, told: ReportMissing) {
    this.#clock = clock;
    this.#told = told;
  }

  /** By what is not served at the moment: what is missing, as a sentence without its full stop. */
  get missing(): ReadonlyMap<string, string> {
    return this.#missing;
  }

  /** Notes what is missing, or that nothing is. */
  readonly report: ReportMissing = (what, missing) => {
    if (missing === undefined) this.#missing.delete(what);
    else this.#missing.set(what, missing);
    this.#told(what, missing);
  };

  /**
   * Makes the first attempt, and further ones as `Attempt` says. Rejects when the first attempt rejects, and makes no further one
   * then. The reason why a later attempt rejects counts as what is missing.
   */
  async follow(follower: Follower): Promise<void> {
    const followed: Followed = { ...follower, missing: undefined, trying: undefined, isDue: false };
    const first = await follower.attempt();
    if (first === 'done') return;
    this.#followed.add(followed);
    this.#settle(followed, first);
    this.#start();
    // the monitor hears nothing until it has opened its socket
    this.#lookIn(MONITOR_START_MILLISECONDS, undefined);
  }

  close(): void {
    this.#followed.clear();
    this.#stop();
  }

  #start(): void {
    if (this.#monitor !== undefined || this.#restart !== undefined) return;
    const monitor = spawn('setpriv', MONITOR, { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#monitor = monitor;
    const changed = (line: string) => this.#lookIn(QUIET_MILLISECONDS, interfaceIn(line));
    createInterface({ input: monitor.stdout }).on('line', changed);
    const ended = () => {
      if (this.#monitor !== monitor) return;
      this.#monitor = undefined;
      // this timer keeps the process alive, unlike those of the clock: perhaps nothing is served yet
      this.#restart = setTimeout(() => {
        this.#restart = undefined;
        this.#start();
        this.#lookIn(MONITOR_START_MILLISECONDS, undefined);
      }, WITHOUT_MONITOR_MILLISECONDS);
    };
    monitor.once('error', ended).once('exit', ended);
  }

  #stop(): void {
    this.#cancelLook?.();
    this.#lookAt = Infinity;
    clearTimeout(this.#restart);
    this.#restart = undefined;
    const monitor = this.#monitor;
    this.#monitor = undefined;
    monitor?.kill('SIGKILL');
  }

  /** `name`: of the interface that has changed; undefined: any may have. */
  #lookIn(milliseconds: number, name: string | undefined): void {
    for (const each of this.#followed)
      if (name === undefined || each.onInterface === undefined || each.onInterface === name)
        each.isDue = true;
    const at = this.#clock.monotonic() + milliseconds;
    if (at >= this.#lookAt || ![...this.#followed].some(({ isDue }) => isDue)) return;
    this.#cancelLook?.();
    this.#lookAt = at;
    this.#cancelLook = this.#clock.after(milliseconds, () => {
      this.#lookAt = Infinity;
      for (const each of this.#followed) if (each.isDue) each.trying ??= this.#tryAgain(each);
    });
  }

  async #tryAgain(followed: Followed): Promise<void> {
    while (followed.isDue && this.#followed.has(followed)) {
      followed.isDue = false;
      const outcome = await followed.attempt().catch((error: unknown): Attempt => ({
        missing: error instanceof Error ? error.message : String(error),
      }));
      if (this.#followed.has(followed)) this.#settle(followed, outcome);
    }
    followed.trying = undefined;
  }

  #settle(followed: Followed, outcome: Attempt): void {
    const missing = typeof outcome === 'string' ? undefined : outcome.missing;
    if (missing !== followed.missing) this.report(followed.what, missing);
    followed.missing = missing;
    if (outcome !== 'done') return;
    this.#followed.delete(followed);
    if (this.#followed.size === 0) this.#stop();
  }
}

/** Logs what is missing. */
export const missingTo =
  (log: Logger): ReportMissing =>
  (what, missing) => {
    if (missing === undefined) log.info({ what }, 'served: what was missing is there');
    else log.warn({ what, missing }, 'not served until the network has what is missing; all else is served');
  };

/** The interface of a line such as `7: eth0@if6    inet 10.0.0.1/24 ...` or `Deleted 7: eth0: <BROADCAST>...`. */
const interfaceIn = (line: string): string | undefined => /^(?:Deleted )?\d+: ([^:@\s]+)/.exec(line)?.[1];

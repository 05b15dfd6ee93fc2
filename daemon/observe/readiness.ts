// Whether the daemon can serve requests: the answer of /readyz.
import { timestamp } from '../lib/clock.ts';
import { reasonOf } from '../model/faults.ts';
import type { ObservedServices } from './services.ts';

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** The shortest time between two test writes: each costs a sync of the disk, and any client may ask for /readyz. */
const PROBE_MILLISECONDS = 5000;

export class Readiness {
  readonly #services: ObservedServices;
  #stage: 'starting' | 'serving' | 'stopping' = 'starting';
  #database: Check | undefined;
  #probedAt = Number.NEGATIVE_INFINITY;

  constructor(services: ObservedServices) {
    this.#services = services;
  }

  enter(stage: 'serving' | 'stopping'): void {
    this.#stage = stage;
  }

  /** Returns the checks of /readyz; the daemon is ready when all are ok. */
  checks(): readonly Check[] {
    const { workers } = this.#services;
    return [
      { name: 'service', ok: this.#stage === 'serving', detail: `the service is ${this.#stage}` },
      this.#writable(),
      {
        name: 'workers',
        ok: workers.busy < workers.size,
        detail: `${workers.busy} of ${workers.size} workers are busy ([conductor] workers_pool_size)`,
      },
    ];
  }

  #writable(): Check {
    const { clock } = this.#services;
    if (this.#database !== undefined && clock.monotonic() < this.#probedAt + PROBE_MILLISECONDS)
      return this.#database;
    this.#probedAt = clock.monotonic();
    return (this.#database = this.#probe());
  }

  #probe(): Check {
    const { db, host, clock } = this.#services;
    const name = 'database';
    if (this.#stage === 'stopping') return { name, ok: false, detail: 'the database is being closed' };
    try {
      db.conductors.touch(host, timestamp(clock.now()));
      return { name, ok: true, detail: 'the database can be written' };
    } catch (error) {
      return { name, ok: false, detail: `the database cannot be written: ${reasonOf(error)}` };
    }
  }
}

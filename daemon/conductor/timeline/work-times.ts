// Measures the work on nodes, from one state at rest to the next, and its steps. Stores how long they took if they ended well.
import { timestamp } from '../../lib/clock.ts';
import type { Node } from '../../model/records/node.ts';
import {
  isAtRest,
  isFailure,
  type ProvisionState,
  provisionStates,
} from '../../model/states/provision-states.ts';
import type { Database } from '../../db/database.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Transitions } from './transitions.ts';
import type { WatchedClock } from '../../lib/watched-clock.ts';

interface Work {
  /** The state that the work began in, such as `deploying`, or phase and name of a step, such as `clean deploy.erase_devices`. */
  readonly name: string;
  /** When the work began, in milliseconds since the epoch. */
  readonly since: number;
}

export interface EndedWork extends Work {
  readonly seconds: number;
  readonly failed: boolean;
}

type WorkSeconds = readonly [work: string, seconds: number];

interface Parts {
  readonly db: Database;
  readonly clock: WatchedClock;
  readonly log: Logger;
  readonly transitions: Transitions;
}

export class WorkTimes {
  /** Called at the end of the work between two states at rest. */
  readonly watchers = new Set<(ended: EndedWork) => void>();
  readonly #parts: Parts;
  readonly #work: Map<string, Work>;
  // a step that an earlier run of the daemon began is not measured
  readonly #steps = new Map<string, Work>();
  // by node: the steps that ended since the node was at rest, stored when it is at rest again
  readonly #endedSteps = new Map<string, WorkSeconds[]>();

  constructor(parts: Parts) {
    this.#parts = parts;
    const { db, clock, transitions } = parts;
    // work that an earlier run of the daemon began
    this.#work = new Map(
      db.nodes.inStates(provisionStates.filter((state) => !isAtRest(state))).map((node) => {
        const since = Date.parse(node.provision_updated_at ?? '') || clock.now();
        return [node.uuid, { name: node.provision_state, since }];
      }),
    );
    transitions.storing.add((node) => this.#storeTimes(node));
    transitions.stored.add((node) => this.#moved(node));
  }

  get underWay(): Iterable<Work> {
    return this.#work.values();
  }

  /** Returns the step that runs on the node; if none runs, the work between two states at rest. */
  of(node: string): Work | undefined {
    return this.#steps.get(node) ?? this.#work.get(node);
  }

  /** Returns the work between two states at rest, also while a step of it runs. */
  wholeOf(node: string): Work | undefined {
    return this.#work.get(node);
  }

  beginStep(node: string, name: string): void {
    this.#steps.set(node, { name, since: this.#parts.clock.now() });
  }

  endStep(node: string): void {
    const step = this.#steps.get(node);
    this.#steps.delete(node);
    if (step === undefined) return;
    const ended = this.#endedSteps.get(node) ?? [];
    this.#endedSteps.set(node, [...ended, [step.name, this.#secondsSince(step)]]);
  }

  /** Never throws: work does not fail because its time cannot be stored. */
  store(node: string, ...times: readonly WorkSeconds[]): void {
    const { db, clock, log } = this.#parts;
    if (times.length === 0) return;
    const ended_at = timestamp(clock.now());
    try {
      db.transaction(() => {
        for (const [work, seconds] of times) db.workTimes.add(node, { work, ended_at, seconds });
      });
    } catch (error) {
      log.error({ error, node, times }, 'cannot store how long work took');
    }
  }

  // in the transaction that brings the node to rest, because a transaction of its own would cost as much as the whole rest
  #storeTimes({ uuid, provision_state: state, last_error }: Node): void {
    if (!isAtRest(state)) return;
    const work = this.#work.get(uuid);
    const ended = this.#endedSteps.get(uuid) ?? [];
    const succeeded = work !== undefined && !hasFailed(state, last_error);
    this.store(uuid, ...ended, ...(succeeded ? [[work.name, this.#secondsSince(work)] as const] : []));
  }

  #moved({ uuid, provision_state: state, last_error }: Node): void {
    const work = this.#work.get(uuid);
    if (!isAtRest(state)) {
      if (work === undefined) this.#work.set(uuid, { name: state, since: this.#parts.clock.now() });
      return;
    }
    this.#work.delete(uuid);
    this.#steps.delete(uuid);
    this.#endedSteps.delete(uuid);
    if (work === undefined) return;
    const ended = { ...work, seconds: this.#secondsSince(work), failed: hasFailed(state, last_error) };
    for (const watch of this.watchers) watch(ended);
  }

  #secondsSince({ since }: Work): number {
    return Math.max(0, this.#parts.clock.age(since) / 1000);
  }
}

const hasFailed = (state: ProvisionState, error: string | null): boolean =>
  isFailure(state) || error !== null;

// Measures the work on nodes, from one state at rest to the next, and its steps. Stores how long they took if they ended well.
import { timestamp } from '../../lib/clock.ts';
import type { Node } from '../../model/records/node.ts';
import { isFailure, isStable, provisionStates } from '../../model/states/provision-states.ts';
import type { Database } from '../../db/database.ts';
import type { Logger } from '../../lib/logger.ts';
import type { WatchedClock } from '../../lib/watched-clock.ts';

export interface Work {
  /** The state that the work began in, such as `deploying`, or phase and name of a step, such as `clean deploy.erase_devices`. */
  readonly name: string;
  /** When the work began, in milliseconds since the epoch. */
  readonly since: number;
}

export interface EndedWork extends Work {
  readonly seconds: number;
  readonly failed: boolean;
}

interface Parts {
  readonly db: Database;
  readonly clock: WatchedClock;
  readonly log: Logger;
  /** Called after every stored change of a node's provision state. */
  readonly transitions: Set<(node: Node, from: Node) => void>;
}

const isAtRest = (state: Node['provision_state']) => isStable(state) || isFailure(state);

export class WorkTimes {
  /** Called at the end of the work between two states at rest. */
  readonly watchers = new Set<(ended: EndedWork) => void>();
  readonly #parts: Parts;
  readonly #work: Map<string, Work>;
  // a step that an earlier run of the daemon began is not measured
  readonly #steps = new Map<string, Work>();

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
    transitions.add((node) => this.#moved(node));
  }

  get underWay(): Iterable<Work> {
    return this.#work.values();
  }

  /** Returns the step that runs on the node; if none runs, the work between two states at rest. */
  of(node: string): Work | undefined {
    return this.#steps.get(node) ?? this.#work.get(node);
  }

  beginStep(node: string, name: string): void {
    this.#steps.set(node, { name, since: this.#parts.clock.now() });
  }

  endStep(node: string): void {
    const step = this.#steps.get(node);
    this.#steps.delete(node);
    if (step !== undefined) this.store(node, [step.name, this.#secondsSince(step)]);
  }

  /** Never throws: work does not fail because its time cannot be stored. */
  store(node: string, ...times: readonly (readonly [work: string, seconds: number])[]): void {
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

  #moved({ uuid, provision_state: state, last_error }: Node): void {
    const work = this.#work.get(uuid);
    if (!isAtRest(state)) {
      if (work === undefined) this.#work.set(uuid, { name: state, since: this.#parts.clock.now() });
      return;
    }
    this.#work.delete(uuid);
    this.#steps.delete(uuid);
    if (work === undefined) return;
    const seconds = this.#secondsSince(work);
    const failed = isFailure(state) || last_error !== null;
    if (!failed) this.store(uuid, [work.name, seconds]);
    for (const watch of this.watchers) watch({ ...work, seconds, failed });
  }

  #secondsSince({ since }: Work): number {
    return Math.max(0, this.#parts.clock.age(since) / 1000);
  }
}

// Keeps what plugins hold for BMCs between conversations, such as sessions, until it has not been used for five minutes.
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { reasonOf } from '../../model/faults.ts';
import type { BmcState } from '../../plugin-api/index.ts';
import type { BmcQueues } from './bmc-queues.ts';

const IDLE_MILLISECONDS = 300_000;
const DISPOSAL_MILLISECONDS = 5000;

interface Kept {
  /** Rejected when the state could not be created; such a state is not kept. */
  readonly state: Promise<unknown>;
  /** Disposes of the state on the BMC. */
  readonly dispose: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly address: string;
  /** UUID of the node that the state was created for, for messages. */
  readonly node: string;
  cancelTimer: () => void;
}

export interface StateOwner {
  readonly key: string;
  readonly address: string;
  readonly node: string;
}

interface Surroundings {
  readonly clock: Clock;
  readonly log: Logger;
  readonly queues: BmcQueues;
}

export class BmcStates {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #queues: BmcQueues;
  readonly #kept = new Map<string, Kept>();

  constructor({ clock, log, queues }: Surroundings) {
    this.#clock = clock;
    this.#log = log;
    this.#queues = queues;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** Returns the kept state, or creates it. Conversations that ask for it while it is being created get the same state. */
  async get<State>(owner: StateOwner, kind: BmcState<State>, signal: AbortSignal): Promise<State> {
    const known = this.#kept.get(owner.key);
    if (known !== undefined) {
      this.#touch(owner.key, known);
      return known.state as Promise<State>;
    }
    const state = Promise.try(() => kind.create(signal));
    const { address, node } = owner;
    const dispose = kind.dispose && (async (ending: AbortSignal) => kind.dispose?.(await state, ending));
    const kept: Kept = { state, dispose, address, node, cancelTimer() {} };
    this.#kept.set(owner.key, kept);
    this.#touch(owner.key, kept);
    try {
      return await state;
    } catch (error) {
      kept.cancelTimer();
      if (this.#kept.get(owner.key) === kept) this.#kept.delete(owner.key);
      throw error;
    }
  }

  /** Disposes of all states; resolves after a few seconds at the latest. */
  async close(): Promise<void> {
    const over = new AbortController();
    const disposals = [...this.#kept.keys()].map((key) => this.#dispose(key));
    await Promise.race([
      Promise.all(disposals),
      sleep(this.#clock, DISPOSAL_MILLISECONDS, over.signal).catch(() => undefined),
    ]);
    over.abort();
  }

  #touch(key: string, kept: Kept): void {
    kept.cancelTimer();
    kept.cancelTimer = this.#clock.after(IDLE_MILLISECONDS, () => void this.#dispose(key));
  }

  /** Never rejects: if the BMC cannot be reached, it ends the unused session by itself after a while. */
  async #dispose(key: string): Promise<void> {
    const kept = this.#kept.get(key);
    kept?.cancelTimer();
    this.#kept.delete(key);
    if (kept?.dispose === undefined) return;
    const { address, node, dispose } = kept;
    const options = {
      deadline: DISPOSAL_MILLISECONDS,
      urgent: false,
      node,
      signal: new AbortController().signal,
    };
    try {
      await this.#queues.run(address, options, dispose);
    } catch (error) {
      this.#log.debug({ bmc: address, reason: reasonOf(error) }, 'could not end a session with a BMC');
    }
  }
}

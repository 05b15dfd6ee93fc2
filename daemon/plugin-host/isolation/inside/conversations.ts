// The conversations with BMCs that a plugin's process holds, and the state that it keeps for BMCs. The daemon says when a
// conversation may begin.
import type { Json, JsonObject } from '../../../model/json.ts';
import type { BmcConversation, BmcOptions } from '../../../plugin-api/index.ts';
import type { Cargo } from '../border/peer.ts';

/** What the plugin passed to `task.bmc`. */
interface Held<T, State> {
  readonly options: BmcOptions<State>;
  readonly converse: (conversation: BmcConversation<State>) => Promise<T>;
}

type AnyHeld = Held<unknown, unknown> & { result?: unknown };

export class Conversations {
  readonly #held = new Map<number, AnyHeld>();
  readonly #states = new Map<
    number,
    { readonly state: unknown; readonly dispose: BmcOptions<unknown>['state'] }
  >();
  #last = 0;

  /**
   * `run` asks the daemon to begin the described conversation, and resolves when the conversation is over. Returns the result of
   * `converse`, which does not leave this process.
   */
  async hold<T, State>(held: Held<T, State>, run: (described: JsonObject) => Promise<unknown>): Promise<T> {
    const id = (this.#last += 1);
    const kept = { ...held } as unknown as AnyHeld;
    this.#held.set(id, kept);
    const { state, ...options } = held.options;
    const described = { ...options, id, stateKey: state?.key };
    try {
      await run(described as unknown as JsonObject);
      return kept.result as T;
    } finally {
      this.#held.delete(id);
    }
  }

  /** Does what the daemon asks for: holds a conversation, or creates or disposes of a state. */
  async answer({ converse, create, dispose, state }: JsonObject, signal: AbortSignal): Promise<Cargo> {
    if (typeof dispose === 'number') return { value: await this.#dispose(dispose, signal) };
    const held = this.#held.get(Number(converse ?? create));
    if (held === undefined) throw new Error('the conversation is over');
    if (create !== undefined) return { value: await this.#create(held, signal) };
    const kept = this.#states.get(Number(state));
    held.result = await held.converse(Object.freeze({ signal, state: kept?.state }));
    return { value: null };
  }

  async #create({ options }: AnyHeld, signal: AbortSignal): Promise<Json> {
    const state = await options.state?.create(signal);
    const id = (this.#last += 1);
    this.#states.set(id, { state, dispose: options.state });
    return id;
  }

  async #dispose(id: number, signal: AbortSignal): Promise<Json> {
    const kept = this.#states.get(id);
    this.#states.delete(id);
    await kept?.dispose?.dispose?.(kept.state, signal);
    return null;
  }
}

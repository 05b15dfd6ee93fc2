// Conversations with BMCs: queued for each BMC, with the state that plugins keep. A login that the BMC has refused is not tried
// again for some time.
import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { Fault } from '../../model/faults.ts';
import type { BmcConversation, BmcOptions } from '../../plugin-api/index.ts';
import { type BmcQueues, type BmcRunOptions, createBmcQueues, type EndedConversation } from './bmc-queues.ts';
import { BmcStates } from './bmc-states.ts';
import { type BmcLogin, RefusedLogins } from './refused-logins.ts';

type Options<State> = BmcOptions<State> & BmcRunOptions;
type Work<T, State> = (conversation: BmcConversation<State>) => Promise<T>;

export class BmcConversations {
  /** Called at the end of every conversation that has begun. */
  readonly watchers = new Set<(conversation: EndedConversation) => void>();
  readonly #queues: BmcQueues;
  readonly #states: BmcStates;
  readonly #logins: RefusedLogins;
  // the key is random for each process, so that a weak password cannot be guessed from a hash alone
  readonly #secret = randomBytes(32);

  constructor(surroundings: { readonly clock: Clock; readonly log: Logger }) {
    this.#queues = createBmcQueues({
      ...surroundings,
      ended: (conversation) => {
        for (const watch of this.watchers) watch(conversation);
      },
    });
    this.#states = new BmcStates({ ...surroundings, queues: this.#queues });
    this.#logins = new RefusedLogins(surroundings.clock);
  }

  /** Does what `Task.bmc` of the plugin API describes. */
  async converse<T, State>(address: string, options: Options<State>, work: Work<T, State>): Promise<T> {
    const { credentials } = options;
    const converse = async (signal: AbortSignal) =>
      work({ signal, state: await this.#stateFor(address, options, signal) });
    if (credentials === undefined) return this.#queues.run(address, options, converse);
    const login = { key: this.#keyOf(address, credentials), address, ...options };
    try {
      // checked when the conversation's turn comes: the BMC may have refused the login in the previous one
      return await this.#queues.run(address, options, (signal) =>
        this.#loggingIn(login, () => converse(signal)),
      );
    } catch (error) {
      throw error instanceof Withheld ? error.fault : error;
    }
  }

  async #loggingIn<T>(login: BmcLogin, converse: () => Promise<T>): Promise<T> {
    const withheld = this.#logins.withheld(login);
    if (withheld !== undefined) throw new Withheld(withheld);
    try {
      const result = await converse();
      this.#logins.accepted(login.key);
      return result;
    } catch (error) {
      if (error instanceof Fault && error.code === 'BmcCredentialsRefused')
        this.#logins.refused(login.key, error);
      throw error;
    }
  }

  /** Disposes of what plugins keep; resolves after a few seconds at the latest. */
  close(): Promise<void> {
    return this.#states.close();
  }

  /** The number of BMCs that background work leaves alone because they do not answer. */
  get silent(): number {
    return this.#queues.silent;
  }

  /** The number of states, such as sessions, that are kept for plugins. */
  get size(): number {
    return this.#states.size;
  }

  async #stateFor<State>(
    address: string,
    { state: kind, credentials, node }: Options<State>,
    signal: AbortSignal,
  ): Promise<State> {
    if (kind === undefined) return undefined as State;
    const owner = { key: this.#keyOf(address, credentials, kind.key), address, node };
    return this.#states.get(owner, kind, signal);
  }

  #keyOf(...parts: readonly unknown[]): string {
    return createHmac('sha256', this.#secret).update(JSON.stringify(parts)).digest('base64');
  }
}

/** Carries the fault past the circuit breaker, which must not count it: the BMC was not contacted. */
class Withheld extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

// Conversations with BMCs, and what plugins keep between them.

export interface BmcOptions<State = undefined> {
  /** The minimum number of milliseconds between the end of one conversation and the start of the next. */
  readonly minimumGap?: number;
  /**
   * Like `minimumGap`, for a BMC that has left a conversation unanswered within the last ten minutes. The longer of the two gaps
   * applies.
   */
  readonly gapAfterSilence?: number;
  /** How many conversations may run at once, for an appliance that manages many machines. Not set: one. */
  readonly parallel?: number;
  /** The number of milliseconds after which the conversation's signal aborts and the call fails. */
  readonly deadline: number;
  /**
   * The user name, password or key of the conversation; only their hash is kept. After a conversation has thrown
   * BmcCredentialsRefused, further conversations with the same credentials throw it at once, so that the BMC does not lock
   * the account. This lasts half a minute for conversations that an operator asks for, and five minutes to an hour for all others.
   */
  readonly credentials?: readonly string[];
  readonly state?: BmcState<State>;
}

/**
 * What a plugin keeps for a BMC from one conversation to the next: a session, open connections, cached paths. The
 * daemon may drop it at any time, so nothing but speed may depend on it. There is one state for each
 * combination of plugin, BMC address, key and credentials, and the conversations of all nodes share it.
 */
export interface BmcState<State> {
  /** Names the kind of state, for a plugin that keeps several. */
  readonly key: string;
  /** Called at the start of a conversation if no state is kept. The deadline of the conversation includes this call. */
  create(signal: AbortSignal): State | Promise<State>;
  /** Called when the state has not been used for some minutes, or when the daemon stops. May take a few seconds. */
  dispose?(state: State, signal: AbortSignal): Promise<void>;
}

export interface BmcConversation<State = undefined> {
  /** Aborts at the deadline and when the task's signal does. */
  readonly signal: AbortSignal;
  readonly state: State;
}

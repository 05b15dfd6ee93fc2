// Conversations with a node's BMC: one connection and one login for each BMC, kept by the daemon.
import type { Task } from '#plugin-api';
import { redfishOptions } from '../options.ts';
import { BmcSession } from './bmc-session.ts';
import { connectionOf } from './connection.ts';
import { Learnt } from './learnt.ts';
import { Bmc } from './bmc.ts';

const DISPOSAL_SECONDS = 2;

interface Kept {
  readonly session: BmcSession;
  readonly learnt: Learnt;
}

export interface ConversationOptions {
  /** The operation in messages: `Reading the power state`. */
  readonly operation: string;
  /** The time limit of the whole conversation, as a multiple of [redfish] read_timeout. Not set: 2. */
  readonly length?: number;
}

/**
 * Runs `work` in a conversation with the node's BMC. Throws BmcFailure when the BMC does not answer, BmcCredentialsRefused,
 * BmcNotReady or BmcRefused when the BMC refuses, and the faults of `connectionOf`.
 */
export function converse<T>(
  task: Task,
  { operation, length = 2 }: ConversationOptions,
  work: (bmc: Bmc) => Promise<T>,
): Promise<T> {
  const connection = connectionOf(task);
  const { address, root, username, password, trust, login } = connection;
  const {
    read_timeout,
    connect_timeout: connectSeconds,
    connection_attempts: attempts,
  } = redfishOptions(task);
  const { clock } = task;
  const state = {
    key: JSON.stringify([root, login, trust]),
    create: async (): Promise<Kept> => ({
      session: await BmcSession.open({ connection, connectSeconds, clock }),
      learnt: new Learnt(),
    }),
    dispose: ({ session }: Kept, signal: AbortSignal) =>
      session.close({ signal, timeoutSeconds: DISPOSAL_SECONDS }),
  };
  const options = {
    deadline: read_timeout * length * 1000,
    credentials: [username, password],
    state,
  };
  return task.bmc(address, options, ({ signal, state: kept }) =>
    work(new Bmc({ ...kept, task, connection, operation, signal, timeoutSeconds: read_timeout, attempts })),
  );
}

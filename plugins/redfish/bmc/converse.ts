// Conversations with a node's BMC: one connection and one login for each BMC, kept by the daemon.
import type { Task } from '#plugin-api';
import { redfishOptions } from '../options.ts';
import { BmcSession } from './bmc-session.ts';
import { type BmcConnection, bmcConnectionOf } from './connection.ts';
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
  const connection = bmcConnectionOf(task);
  const { address, root, username, password, trust, login } = connection;
  const state = {
    key: JSON.stringify([root, login, trust]),
    create: () => begun(task, connection),
    dispose: ended,
  };
  const deadline = redfishOptions(task).read_timeout * length * 1000;
  const options = { deadline, credentials: [username, password], state };
  return task.bmc(address, options, async ({ signal, state: kept }) => {
    const bmc = bmcOf(kept, { task, connection, operation, signal, deadline });
    try {
      return await work(bmc);
    } finally {
      const { unread } = bmc;
      if (unread.length > 0)
        task.log.warn({ operation, unread }, 'the BMC does not show parts of the machine');
    }
  });
}

/**
 * Runs `work` like `converse`, but logs in as `username` with `password` in place of the login in driver_info, in a session of its own that is then
 * ended: a session that exists stays valid when the password of its user changes, and so proves nothing.
 */
export function converseWithPassword<T>(
  task: Task,
  {
    operation,
    ...login
  }: { readonly operation: string; readonly username: string; readonly password: string },
  work: (bmc: Bmc) => Promise<T>,
): Promise<T> {
  const connection = { ...bmcConnectionOf(task), ...login };
  const deadline = redfishOptions(task).read_timeout * 2 * 1000;
  const credentials = [login.username, login.password];
  return task.bmc(connection.address, { deadline, credentials }, async ({ signal }) => {
    const kept = await begun(task, connection);
    try {
      return await work(bmcOf(kept, { task, connection, operation, signal, deadline }));
    } finally {
      await ended(kept, task.signal).catch(() => undefined);
    }
  });
}

const begun = async (task: Task, connection: BmcConnection): Promise<Kept> => ({
  session: await BmcSession.open({
    connection,
    connectSeconds: redfishOptions(task).connect_timeout,
    clock: task.clock,
  }),
  learnt: new Learnt(),
});

const ended = ({ session }: Kept, signal: AbortSignal): Promise<void> =>
  session.close({ signal, timeoutSeconds: DISPOSAL_SECONDS });

interface Conversing {
  readonly task: Task;
  readonly connection: BmcConnection;
  readonly operation: string;
  readonly signal: AbortSignal;
  readonly deadline: number;
}

function bmcOf(kept: Kept, { deadline, ...conversing }: Conversing): Bmc {
  const { read_timeout: timeoutSeconds, connection_attempts: attempts } = redfishOptions(conversing.task);
  const until = conversing.task.clock.monotonic() + deadline;
  return new Bmc({ ...kept, ...conversing, timeoutSeconds, until, attempts });
}

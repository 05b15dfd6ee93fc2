// Sends a command to a node's BMC through ipmitool. Neither the password nor the Kg key appears in argument lists,
// environments or logs.
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fault, reasonOf, type Task } from '#plugin-api';
import { bmcUrl, connectionOf, type IpmiConnection } from './connection.ts';
import { explainFailure, type Failure } from './explain-failure.ts';
import { ipmiOptions } from './options.ts';
import { INTERVAL_SECONDS, ipmitoolArguments } from './ipmitool-arguments.ts';
import { runIpmitool } from './run-ipmitool.ts';

export interface IpmiRequest {
  /** What the command does, for error messages. */
  readonly operation: string;
  /** Arguments of ipmitool. */
  readonly command: readonly string[];
  /** Text in the output of a successful command; the exit status alone is not reliable. */
  readonly confirmation: string;
  /** A refusal that contains this text counts as success: there was nothing to do. */
  readonly nothingToDo?: string;
}

/** Throws a fault when the node's driver_info or `[ipmi] cipher_suite_versions` is invalid. */
export function connectionOfTask(task: Task): IpmiConnection {
  return connectionOf(task.node, ipmiOptions(task).cipher_suite_versions);
}

/**
 * Resolves to what ipmitool printed to stdout. Throws BmcFailure with the reason from `explainFailure`, and the faults of
 * `connectionOfTask`.
 */
export async function ipmitool(task: Task, request: IpmiRequest): Promise<string> {
  const connection = connectionOfTask(task);
  const address = bmcUrl(connection);
  const { min_command_interval, command_retry_timeout } = ipmiOptions(task);
  const options = {
    ...(min_command_interval === 0
      ? { gapAfterSilence: INTERVAL_SECONDS * 1000 }
      : { minimumGap: min_command_interval * 1000 }),
    deadline: command_retry_timeout * 1000,
  };
  const bmcFailure = ({ reason }: Failure) =>
    fault('BmcFailure', { operation: request.operation, node: task.node.uuid, address, reason });
  const attempt = (cipherSuite: string | undefined) =>
    task.bmc(address, options, async ({ signal }) => {
      const outcome = await converse(task, { connection, cipherSuite, request, signal });
      // a refusal shows that the BMC works, so only a missing answer counts as a failure of the BMC
      if (outcome.kind === 'silent') throw bmcFailure(outcome);
      return outcome;
    });
  let tried = 0;
  let outcome: Outcome;
  do {
    outcome = await attempt(connection.cipherSuites[tried]);
    tried += 1;
  } while (outcome.kind === 'cipher suite' && tried < connection.cipherSuites.length);
  if (outcome.kind !== 'obeyed') throw bmcFailure(outcome);
  return outcome.stdout;
}

type Outcome = Failure | { readonly kind: 'obeyed'; readonly stdout: string };

interface Conversation {
  readonly connection: IpmiConnection;
  readonly cipherSuite: string | undefined;
  readonly request: IpmiRequest;
  readonly signal: AbortSignal;
}

async function converse(
  task: Task,
  { connection, cipherSuite, request, signal }: Conversation,
): Promise<Outcome> {
  try {
    return await withPasswordFile(connection.password, async ({ fd: password }) => {
      const session = { connection, cipherSuite };
      const argumentList = ipmitoolArguments(session, ipmiOptions(task), request.command);
      const input = Buffer.concat([connection.kgKey, Buffer.from('\n')]);
      const { exit, stdout, stderr } = await runIpmitool(argumentList, { input, password, signal });
      const hasObeyed = exit === 0 && stdout.includes(request.confirmation);
      const isDone = request.nothingToDo !== undefined && stderr.includes(request.nothingToDo);
      return hasObeyed || isDone ? { kind: 'obeyed', stdout } : explainFailure(stderr, exit);
    });
  } catch (error) {
    return { kind: 'refused', reason: cannotRun(error) };
  }
}

/**
 * Calls `use` with a file whose name has been removed: only holders of the descriptor can read the file, and it cannot be left
 * behind.
 */
async function withPasswordFile<T>(password: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'ironic-edge-ipmi-'));
  let file: FileHandle;
  try {
    file = await open(join(folder, 'password'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  try {
    // ipmitool cannot read an empty file
    await file.write(password === '' ? '\0' : password);
    return await use(file);
  } finally {
    await file.close();
  }
}

function cannotRun(error: unknown): string {
  const reason = reasonOf(error);
  return reason === 'spawn ipmitool ENOENT'
    ? 'ipmitool is not installed on this host; install the Debian package ipmitool'
    : `could not run ipmitool on this host: ${reason}`;
}

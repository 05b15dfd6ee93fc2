// Sends a command to a node's BMC through ipmitool. Neither the password nor the Kg key appears in argument lists,
// environments or logs.
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fault, fault, reasonOf, type Task } from '#plugin-api';
import { bmcUrl, connectionOf, type IpmiConnection } from './connection.ts';
import { explainFailure, type Failure } from './explain-failure.ts';
import { ipmiOptions } from './options.ts';
import { INTERVAL_SECONDS, ipmitoolArguments, SCRIPT_DESCRIPTOR } from './ipmitool-arguments.ts';
import { runIpmitool } from './run-ipmitool.ts';

export interface IpmiRequest {
  /** What the command does, for error messages. */
  readonly operation: string;
  /** Arguments of ipmitool. */
  readonly command?: readonly string[];
  /** Text in the output of a successful command; the exit status alone is not reliable. */
  readonly confirmation: string;
  /** Commands that arguments would show to every local user, one a line; `command` is then not given. */
  readonly script?: string;
  /** Used in place of ipmi_username and ipmi_password. */
  readonly username?: string;
  readonly password?: string;
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
  const outcome = await outcomeOf(task, request);
  if (outcome.kind !== 'obeyed') throw bmcFailure(task, request, outcome);
  return outcome.stdout;
}

/**
 * Sends the request to the BMC of the task's node, and resolves to its answer. Throws BmcFailure when the BMC does not answer, and what
 * `connectionOfTask` throws.
 */
export async function outcomeOf(task: Task, request: IpmiRequest): Promise<IpmiOutcome> {
  const given = connectionOfTask(task);
  const { username = given.username, password = given.password } = request;
  const connection = { ...given, username, password };
  const address = bmcUrl(connection);
  const { min_command_interval, command_retry_timeout } = ipmiOptions(task);
  const options = {
    ...(min_command_interval === 0
      ? { gapAfterSilence: INTERVAL_SECONDS * 1000 }
      : { minimumGap: min_command_interval * 1000 }),
    deadline: command_retry_timeout * 1000,
  };
  const attempt = (cipherSuite: string | undefined) =>
    task.bmc(address, options, async ({ signal }) => {
      const outcome = await converse(task, { connection, cipherSuite, request, signal });
      // a refusal shows that the BMC works, so only a missing answer counts as a failure of the BMC
      if (outcome.kind === 'silent') throw bmcFailure(task, request, outcome);
      return outcome;
    });
  let tried = 0;
  let outcome: IpmiOutcome;
  do {
    outcome = await attempt(connection.cipherSuites[tried]);
    tried += 1;
  } while (outcome.kind === 'cipher suite' && tried < connection.cipherSuites.length);
  return outcome;
}

export const bmcFailure = (task: Task, { operation }: IpmiRequest, { reason }: Failure): Fault =>
  fault('BmcFailure', { operation, node: task.node.uuid, address: bmcUrl(connectionOfTask(task)), reason });

export type IpmiOutcome = Failure | { readonly kind: 'obeyed'; readonly stdout: string };

interface Conversation {
  readonly connection: IpmiConnection;
  readonly cipherSuite: string | undefined;
  readonly request: IpmiRequest;
  readonly signal: AbortSignal;
}

async function converse(
  task: Task,
  { connection, cipherSuite, request, signal }: Conversation,
): Promise<IpmiOutcome> {
  try {
    // ipmitool cannot read an empty file
    await using password = await secretFile(connection.password === '' ? '\0' : connection.password);
    await using script = request.script === undefined ? undefined : await secretFile(request.script);
    const session = { connection, cipherSuite };
    const command = request.command ?? ['exec', `/dev/fd/${SCRIPT_DESCRIPTOR}`];
    const argumentList = ipmitoolArguments(session, ipmiOptions(task), command);
    const input = Buffer.concat([connection.kgKey, Buffer.from('\n')]);
    const files = { password: password.fd, script: script?.fd };
    const { exit, stdout, stderr } = await runIpmitool(argumentList, { input, ...files, signal });
    const hasObeyed = exit === 0 && stdout.includes(request.confirmation);
    const isDone = request.nothingToDo !== undefined && stderr.includes(request.nothingToDo);
    return hasObeyed || isDone ? { kind: 'obeyed', stdout } : explainFailure(stderr, exit);
  } catch (error) {
    return { kind: 'refused', reason: cannotRun(error) };
  }
}

/** Opens a file whose name has been removed: only holders of the descriptor can read it, and it cannot be left behind. */
async function secretFile(content: string): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'ironic-edge-ipmi-'));
  try {
    const file = await open(join(folder, 'secret'), 'wx+', 0o600);
    await file.write(content);
    return file;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function cannotRun(error: unknown): string {
  const reason = reasonOf(error);
  return reason === 'spawn ipmitool ENOENT'
    ? 'ipmitool is not installed on this host; install the Debian package ipmitool'
    : `could not run ipmitool on this host: ${reason}`;
}

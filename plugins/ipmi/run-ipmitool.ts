// Runs the program ipmitool once.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** How much of each of stdout and stderr is kept: enough for the sensors of a machine with a thousand sensors. */
const LARGEST_OUTPUT_BYTES = 1_048_576;

export interface Finished {
  /** The exit status; null when ipmitool was killed, as it is when `signal` aborts. */
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * `input`: the answers to ipmitool's prompts. `password`, `script`: the descriptors of its password file and of its commands. Rejects when the program cannot be
 * started. Keeps only the first MiB of stdout and of stderr.
 */
export function runIpmitool(
  argumentList: readonly string[],
  {
    input,
    password,
    script = 'ignore',
    signal,
  }: {
    readonly input: Buffer;
    readonly password: number;
    readonly script?: number | 'ignore' | undefined;
    readonly signal: AbortSignal;
  },
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn('ipmitool', argumentList, {
      // ipmitool reads a key from standard input only in a session without a terminal
      detached: true,
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      // the last two become PASSWORD_DESCRIPTOR and SCRIPT_DESCRIPTOR
      stdio: ['pipe', 'pipe', 'pipe', password, script],
      signal,
      killSignal: 'SIGKILL',
    }) as ChildProcessByStdio<Writable, Readable, Readable>;
    child.on('error', (error) => {
      if (child.pid === undefined) reject(error);
    });
    // when there are too many open files, the failed child process has no streams
    if (child.pid === undefined) return;
    const stdout = gather(child.stdout);
    const stderr = gather(child.stderr);
    child.on('close', (exit) => resolve({ exit, stdout: stdout(), stderr: stderr() }));
    // ipmitool may exit before it has read its input
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

function gather(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  let room = LARGEST_OUTPUT_BYTES;
  stream.on('data', (chunk: Buffer) => {
    if (room > 0) chunks.push(chunk.subarray(0, room));
    room -= chunk.length;
  });
  return () => Buffer.concat(chunks).toString();
}

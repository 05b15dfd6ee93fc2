// One run of the program ipmitool.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

const LARGEST_OUTPUT = 65_536;

export interface Finished {
  /** Null: it was killed because `signal` aborted. */
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * `input` is what it reads where it would ask a user, `password` the descriptor of the file that it is told to read the
 * password from. Rejects when the program cannot be started. Output beyond 64 KiB is dropped.
 */
export function runIpmitool(
  argumentList: readonly string[],
  {
    input,
    password,
    signal,
  }: { readonly input: Buffer; readonly password: number; readonly signal: AbortSignal },
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn('ipmitool', argumentList, {
      // a session without a terminal: only there does it read a key from its standard input
      detached: true,
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      // the fourth is PASSWORD_DESCRIPTOR
      stdio: ['pipe', 'pipe', 'pipe', password],
      signal,
      killSignal: 'SIGKILL',
    }) as ChildProcessByStdio<Writable, Readable, Readable>;
    child.on('error', (error) => {
      if (child.pid === undefined) reject(error);
    });
    // with too many open files it has no streams either
    if (child.pid === undefined) return;
    const stdout = gather(child.stdout);
    const stderr = gather(child.stderr);
    child.on('close', (exit) => resolve({ exit, stdout: stdout(), stderr: stderr() }));
    // it may end before it has read anything
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

function gather(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  let room = LARGEST_OUTPUT;
  stream.on('data', (chunk: Buffer) => {
    if (room > 0) chunks.push(chunk.subarray(0, room));
    room -= chunk.length;
  });
  return () => Buffer.concat(chunks).toString();
}

// Runs a program with limits on its time, memory and files, without a shell.
import { type ChildProcess, spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';

const LARGEST_OUTPUT_BYTES = 65_536;
const MEBIBYTE = 1024 ** 2;

export interface BoundedProgram {
  /** An absolute path, or a name that is looked up in $PATH. */
  readonly program: string;
  readonly argumentList: readonly string[];
  readonly limits: {
    readonly seconds: number;
    /** The limit of the address space of each process. */
    readonly memoryMebibytes: number;
    /** The largest file that the program may write. */
    readonly fileMebibytes: number;
  };
  /** Variables in addition to $PATH and the language. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface Ended {
  /** Null when the program was killed; 127 when there is no such program, in which case `output` says so. */
  readonly exit: number | null;
  readonly timedOut: boolean;
  /** The last 64 KiB that the program wrote to its standard output and standard error. */
  readonly output: string;
}

/**
 * Rejects if `prlimit`, which sets the limits, cannot be started; rejects with the signal's reason if the signal aborts. When the
 * time is over or the signal aborts, the program and the other processes of its process group are killed.
 */
export async function runBounded({
  program,
  argumentList,
  limits,
  environment,
  signal,
}: BoundedProgram): Promise<Ended> {
  signal.throwIfAborted();
  const bounds = [
    `--as=${limits.memoryMebibytes * MEBIBYTE}`,
    `--fsize=${limits.fileMebibytes * MEBIBYTE}`,
    '--core=0',
  ];
  const child = spawn('prlimit', [...bounds, '--', program, ...argumentList], {
    // a process group of its own, so that the program's children can be killed with it
    detached: true,
    env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let timedOut = false;
  const kill = () => killGroup(child);
  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, limits.seconds * 1000);
  signal.addEventListener('abort', kill, { once: true });
  try {
    const ended = await endOf(child);
    signal.throwIfAborted();
    return { ...ended, timedOut };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
  }
}

/** Throws an Error that says how the program ended, unless it ended with status 0. */
export function requireSuccess(
  { program, limits }: Pick<BoundedProgram, 'program' | 'limits'>,
  { exit, timedOut, output }: Ended,
): void {
  if (exit === 0) return;
  const end = timedOut ? `did not end within ${limits.seconds} s` : `failed with status ${exit}`;
  throw new Error(`${program} ${end}: ${output.trim().slice(-1000)}`);
}

/** Returns the path of the first of these programs that $PATH contains; undefined if it contains none. */
export async function installedProgram(names: readonly string[]): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '');
  for (const file of names.flatMap((name) => folders.map((folder) => path.join(folder, name)))) {
    const executable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (executable) return file;
  }
  return undefined;
}

function endOf(child: ChildProcess): Promise<Pick<Ended, 'exit' | 'output'>> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    const chunks: Buffer[] = [];
    let bytes = 0;
    const keepLast = (stream: Readable | null) =>
      stream?.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        while (bytes - (chunks[0]?.length ?? 0) > LARGEST_OUTPUT_BYTES) bytes -= chunks.shift()?.length ?? 0;
      });
    keepLast(child.stdout);
    keepLast(child.stderr);
    child.on('close', (exit) =>
      resolve({ exit, output: Buffer.concat(chunks).subarray(-LARGEST_OUTPUT_BYTES).toString() }),
    );
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // the process has ended already
  }
}

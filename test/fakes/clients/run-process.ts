// Runs the ironic-edge program as a process, against the API of a daemon.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const COMMAND = path.join(import.meta.dirname, '../../../daemon/cli/ironic-edge');

/** Resolves when the program has ended. `input`: what the program reads from standard input. */
export async function runProcess(
  url: string,
  words: readonly string[],
  input: string | Uint8Array = '',
): Promise<{ readonly code: number; readonly out: string; readonly errors: string }> {
  const child = spawn(COMMAND, words, { env: { ...process.env, OS_ENDPOINT: url } });
  child.stdin.end(input);
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { code, out, errors };
}

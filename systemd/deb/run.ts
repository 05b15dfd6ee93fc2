// Runs the programs that build a package.
import { execFileSync } from 'node:child_process';
import process from 'node:process';

/** Returns standard output. Throws when the program fails; its messages go to standard error. */
export const run = (
  program: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): string =>
  execFileSync(program, words, {
    encoding: 'utf8',
    maxBuffer: 64 * 1_048_576,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });

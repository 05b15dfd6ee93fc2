// The `ironic-edge plugin` commands as processes, and the keys of a vendor.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

export const PLUGIN_COMMAND = path.join(import.meta.dirname, '../../../daemon/cli/ironic-edge');

export async function runPlugin(
  cwd: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const child = spawn(PLUGIN_COMMAND, ['plugin', ...words], {
    cwd,
    // a test runner that inherits this variable runs no tests
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [exit]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { exit, stdout, stderr };
}

/** Writes a new private key of a vendor, with the command that the documentation gives. */
export const makeKey = (file: string): void =>
  void execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', file], { stdio: 'pipe' });

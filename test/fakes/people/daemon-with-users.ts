// The daemon in this process with a password file: ann is an admin, olga an operator, rita a reader, each with the password "secret".
import { writeFileSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import {
  type Ending,
  fastDirectory,
  type InProcessDaemon,
  startInProcess,
} from '../daemon/in-process-daemon.ts';
import type { FakeClock } from '../clock.ts';

/** Digests as `htpasswd -B` makes them, cost 4, of "secret" and of "correct horse". */
export const DIGESTS = {
  secret: '$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW',
  horse: '$2b$04$ABCDEFGHIJKLMNOPQRSTUu6C6jEMz4jEJoFRTrM10b9xHpc.SH9E6',
} as const;

const USERS = ['ann', 'olga', 'rita'];

export interface DaemonWithUsers extends InProcessDaemon {
  /** Replaces the lines of the password file. */
  writeAccounts(lines: readonly string[]): void;
}

/** `ini`: further sections. `stateDirectory`: an existing one, whose password file stays. */
export async function startWithUsers(
  test: Ending,
  { ini = '', api = '', stateDirectory, clock }: DaemonOptions = {},
): Promise<DaemonWithUsers> {
  const directory = stateDirectory ?? mkdtempSync(path.join(fastDirectory(), 'users-'));
  const file = path.join(directory, 'htpasswd');
  const writeAccounts = (lines: readonly string[]) =>
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  if (stateDirectory === undefined) writeAccounts(USERS.map((user) => `${user}:${DIGESTS.secret}`));
  const daemon = await startInProcess(test, {
    stateDirectory: directory,
    ini: `auth_strategy = http_basic
http_basic_auth_user_file = ${file}
${api}
[users]
operators = olga
readers = rita
${ini}`,
    ...(clock && { clock }),
  });
  return { ...daemon, writeAccounts };
}

export interface DaemonOptions {
  readonly ini?: string;
  /** Lines of the sections before [users]. */
  readonly api?: string;
  readonly stateDirectory?: string;
  readonly clock?: FakeClock;
}

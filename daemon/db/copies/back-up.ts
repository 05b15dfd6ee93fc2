// Backups: complete copies of the database, made while the daemon runs.
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { checkDatabase } from '../check.ts';
import { PRIVATE } from '../state-files.ts';

const PREFIX = 'ironic-edge-';
const SUFFIX = '.sqlite';

export interface Backup {
  readonly file: string;
  readonly bytes: number;
  /** Older backups that were deleted. */
  readonly deleted: readonly string[];
}

/**
 * Copies the database into `directory` in one read transaction: the copy contains all changes that were acknowledged before the
 * call, and the daemon and the copy do not wait for each other. `keep`: how many backups stay in the directory. Throws when the
 * copy is damaged.
 */
export function backUp(
  source: string,
  directory: string,
  { keep, time }: { readonly keep: number; readonly time: Date },
): Backup {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const name = `${PREFIX}${time.toISOString().replaceAll(/[-:]|\.\d+/g, '')}${SUFFIX}`;
  const file = path.join(directory, name);
  const draft = `${file}.new`;
  rmSync(draft, { force: true });
  try {
    copy(source, draft);
    const problems = checkDatabase(draft);
    if (problems.length > 0) throw new Error(`The copy of ${source} is damaged: ${problems.join('; ')}.`);
    sync(draft);
    renameSync(draft, file);
    sync(directory);
  } finally {
    rmSync(draft, { force: true });
  }
  return { file, bytes: statSync(file).size, deleted: prune(directory, keep) };
}

/** Copies a database, with the changes in its write-ahead log, to the new file `target`, which only its owner can read. */
export function copy(source: string, target: string): void {
  closeSync(openSync(target, 'wx', PRIVATE));
  const connection = new Database(source, { readonly: true, fileMustExist: true });
  try {
    connection.prepare('VACUUM INTO ?').run(target);
  } finally {
    connection.close();
  }
}

export function sync(file: string): void {
  const descriptor = openSync(file, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The backups in the directory, the newest first. */
export const backupsIn = (directory: string): readonly string[] =>
  statSync(directory, { throwIfNoEntry: false }) === undefined
    ? []
    : readdirSync(directory)
        .filter((name) => name.startsWith(PREFIX) && name.endsWith(SUFFIX))
        .toSorted()
        .toReversed()
        .map((name) => path.join(directory, name));

function prune(directory: string, keep: number): readonly string[] {
  const surplus = backupsIn(directory).slice(keep);
  for (const file of surplus) rmSync(file);
  return surplus;
}

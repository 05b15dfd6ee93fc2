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
import { refuseWithoutRoomSync } from '../../lib/files/disk-room.ts';
import { reasonOf } from '../../model/faults.ts';
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
 * copy is damaged, and when it would take the room on the disk that is kept for the database.
 */
export function backUp(
  source: string,
  directory: string,
  { keep, time }: { readonly keep: number; readonly time: Date },
): Backup {
  reading(source).close();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const name = `${PREFIX}${time.toISOString().replaceAll(/[-:]|\.\d+/g, '')}${SUFFIX}`;
  const file = path.join(directory, name);
  const draft = `${file}.new`;
  rmSync(draft, { force: true });
  try {
    refuseWithoutRoomSync(directory, statSync(source).size);
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
  const connection = reading(source);
  try {
    closeSync(openSync(target, 'wx', PRIVATE));
    connection.prepare('VACUUM INTO ?').run(target);
  } finally {
    connection.close();
  }
}

/** Opens a database to copy it. Throws an Error with a message for the operator. */
export function reading(source: string): Database.Database {
  try {
    return new Database(source, { readonly: true, fileMustExist: true });
  } catch (error) {
    throw new Error(
      `The database ${source} cannot be read: ${reasonOf(error)}. Check that it exists and that this user may read it. The daemon's database is in [DEFAULT] state_path, or at [database] path: use the configuration that the daemon runs with (--config-file, IRONIC_CONFIG_FILE or IRONIC_DEFAULT__STATE_PATH).`,
      { cause: error },
    );
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

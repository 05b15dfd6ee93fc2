// Restores a backup and puts its nodes into quarantine, because their machines may have changed since the backup was made.
import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { checkDatabase } from '../check.ts';
import { createDatabase } from '../database.ts';
import { beforeMigrationOf } from '../migrate.ts';
import { claim } from '../open.ts';
import { lockOf } from '../state-files.ts';
import { copy, sync } from './back-up.ts';
import { advised, hostOf, raise } from './fence.ts';

export interface Restored {
  /** How many nodes are in quarantine now but were not in the backup. */
  readonly nodes: number;
  readonly generation: number;
  /** The new path of the database that was replaced; undefined if there was none. */
  readonly before: string | undefined;
}

/**
 * Throws an Error with a message for the operator, and leaves `target` as it is, when a daemon uses `target`, or when the backup
 * is damaged or has a newer schema than this program knows.
 */
export function restore(backup: string, target: string, time: Date): Restored {
  const problems = checkDatabase(backup);
  if (problems.length > 0)
    throw new Error(`${backup} cannot be restored: ${problems.join('; ')}. Try an older backup.`);
  const release = claim(target);
  try {
    const draft = `${target}.restored`;
    discard(draft);
    copy(backup, draft);
    const { nodes, generation } = prepare(draft, backup, { target, time });
    const before = setAside(target, time);
    renameSync(draft, target);
    sync(path.dirname(target));
    return { nodes, generation, before };
  } finally {
    release();
  }
}

/** Migrates the draft and puts its nodes into quarantine. */
function prepare(
  draft: string,
  backup: string,
  { target, time }: { readonly target: string; readonly time: Date },
) {
  const db = createDatabase(draft);
  try {
    const reason = `What is known of this node is from the backup ${path.basename(backup)}, and the machine may have changed since.`;
    const nodes = db.transaction(() =>
      raise(db, { host: hostOf(target), time: time.toISOString(), reason: advised(reason) }),
    );
    return { nodes, generation: db.quarantine.site()?.generation ?? 1 };
  } finally {
    // closing the database writes the write-ahead log into the file, which is then complete
    db.close();
    for (const file of [lockOf(draft), beforeMigrationOf(draft)]) rmSync(file, { force: true });
  }
}

function setAside(target: string, time: Date): string | undefined {
  if (!existsSync(target)) return undefined;
  const aside = `${target}.before-${time.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  for (const end of ['', '-wal', '-shm']) if (existsSync(target + end)) renameSync(target + end, aside + end);
  return aside;
}

function discard(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
}

// Restores a backup and puts its nodes into quarantine, because their machines may have changed since the backup was made.
import { chmodSync, chownSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { checkDatabase } from '../check.ts';
import { createDatabase } from '../database.ts';
import { beforeMigrationOf } from '../migrate.ts';
import { claim } from '../open.ts';
import { readTables } from '../read-only.ts';
import { lockOf } from '../state-files.ts';
import { copy, sync } from './back-up.ts';
import { advised, hostOf, raise } from './fence.ts';

const GROUP_ACCESS = 0o660;

export interface Restored {
  /** The number of nodes in quarantine. */
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
    keepAccess(target, draft);
    const { nodes, generation } = prepare(draft, backup, { target, time });
    const before = setAside(target, time);
    renameSync(draft, target);
    sync(path.dirname(target));
    return { nodes, generation, before };
  } finally {
    release();
  }
}

/** Migrates `draft`, a copy of the backup, and puts its nodes into quarantine. */
function prepare(
  draft: string,
  backup: string,
  { target, time }: { readonly target: string; readonly time: Date },
) {
  const db = createDatabase(draft);
  try {
    const reason = `What is known of this node is from the backup ${path.basename(backup)}, and the machine may have changed since.`;
    const nodes = db.transaction(() => {
      // who was signed in then may have been signed out since
      db.userSessions.removeAll();
      return raise(db, {
        host: hostOf(target),
        time: time.toISOString(),
        reason: advised(reason),
        replaced: generationAt(target),
      });
    });
    return { nodes, generation: db.quarantine.site()?.generation ?? 1 };
  } finally {
    // closing the database writes the write-ahead log into the file, which is then complete
    db.close();
    for (const file of [lockOf(draft), beforeMigrationOf(draft)]) rmSync(file, { force: true });
  }
}

/** Returns the generation of the database at `file`; 0 when none can be read there, which may be why a backup is restored. */
function generationAt(file: string): number {
  try {
    return readTables(file, ({ quarantine }) => quarantine.site()?.generation ?? 0);
  } catch {
    return 0;
  }
}

/**
 * Gives `draft` the owner and group of `target`, with the same access, because an operator may have given a group access. Other
 * users get no access. Does nothing if there is no `target`, or if this user may not change the owner or group.
 */
function keepAccess(target: string, draft: string): void {
  const stats = statSync(target, { throwIfNoEntry: false });
  if (stats === undefined) return;
  try {
    chownSync(draft, stats.uid, stats.gid);
  } catch {
    return;
  }
  chmodSync(draft, stats.mode & GROUP_ACCESS);
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

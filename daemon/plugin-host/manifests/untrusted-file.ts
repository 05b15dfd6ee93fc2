// Whether somebody else could change the code of a plugin: that code runs with the rights of the daemon.
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const WRITABLE_BY_ALL = 0o002;
/** In a directory with this bit, users cannot replace what belongs to others. */
const STICKY = 0o1000;
/** How many files and folders of a plugin are looked at. */
const MOST_ENTRIES = 100_000;
/** Whoever may change the daemon's own code may also change the code of its plugins. */
const DAEMON = import.meta.filename;

/**
 * If every user may write the file or folder, or its owner is not trusted, returns a clause that says so and how to mend it;
 * otherwise undefined. Throws when there is no such file or folder, or it cannot be looked at.
 */
export function distrustOf(path: string): string | undefined {
  const { uid, mode } = statSync(path);
  if ((mode & WRITABLE_BY_ALL) !== 0)
    return `${path} is writable by every user of this host; run: chmod o-w ${path}`;
  const trusted = [0, process.getuid?.(), statSync(DAEMON).uid];
  if (trusted.includes(uid)) return undefined;
  return `${path} belongs to the user ${uid}, neither to root nor to the daemon's user; run: chown root ${path}`;
}

/**
 * Like `distrustOf`, for a folder and everything in it, also where its links lead, and for the directories that contain it: whoever
 * may rename the folder can replace it.
 */
export function distrustWithin(folder: string): string | undefined {
  const seen = new Set<string>();
  const waiting = [realpathSync(folder)];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (seen.has(one)) continue;
    seen.add(one);
    if (seen.size > MOST_ENTRIES) return `${folder} has more than ${MOST_ENTRIES} files and folders`;
    const distrust = distrustOf(one);
    if (distrust !== undefined) return distrust;
    if (!statSync(one).isDirectory()) continue;
    for (const entry of readdirSync(one, { withFileTypes: true })) waiting.push(...targetsOf(entry));
  }
  return replaceable(realpathSync(folder));
}

/** The path of the entry; where it leads if it is a link; nothing for a link that leads nowhere. */
function targetsOf(entry: Dirent): readonly string[] {
  const path = join(entry.parentPath, entry.name);
  if (!entry.isSymbolicLink()) return [path];
  return statSync(path, { throwIfNoEntry: false }) === undefined ? [] : [realpathSync(path)];
}

function replaceable(path: string): string | undefined {
  const parent = dirname(path);
  const { mode } = statSync(parent);
  if ((mode & WRITABLE_BY_ALL) !== 0 && (mode & STICKY) === 0)
    return `${parent}, which contains ${path}, is writable by every user of this host; run: chmod o-w ${parent}`;
  return parent === path ? undefined : replaceable(parent);
}

// Whether somebody else could change the code of a plugin: that code runs with the rights of the daemon.
import { statSync } from 'node:fs';

const WRITABLE_BY_ALL = 0o002;
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

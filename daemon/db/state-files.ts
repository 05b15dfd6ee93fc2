// Checks the files of the database: removes the access of other users, and refuses to start when data was lost.
import { chmodSync, closeSync, openSync, readSync, statSync } from 'node:fs';

/** SQLite gives the -wal and -shm files the mode of the database. */
export const PRIVATE = 0o600;
const OTHER_USERS = 0o007;
const WITHOUT_SET_BITS = 0o777;

/**
 * The files contain passwords, so a file that every user of the host may access is restricted to its owner. A file that only its
 * owner and group may access stays as it is, because an operator gave the group access.
 */
export function keepPrivate(path: string, warn: (sentence: string) => void): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`, lockOf(path)]) {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined || (stats.mode & OTHER_USERS) === 0) continue;
    const mode = (stats.mode & WITHOUT_SET_BITS).toString(8);
    try {
      chmodSync(file, PRIVATE);
      warn(
        `${file} was open to every user of this host (mode ${mode}) and has been closed to others (mode 600).`,
      );
    } catch {
      warn(
        `${file} is open to every user of this host (mode ${mode}) and is owned by another user: run chmod 600 ${file} as its owner.`,
      );
    }
  }
}

export const lockOf = (path: string): string => `${path}.lock`;

/**
 * Whether there is a database at `path`. Throws if the database or its last changes were lost. `usedBefore`: whether a database
 * was opened at this path earlier.
 */
export function isThere(path: string, usedBefore: boolean): boolean {
  const log = `${path}-wal`;
  const damage = damageOf(log);
  if (damage !== undefined)
    throw new Error(
      `The database ${path} has lost its last changes ([database] path): ${log} ${damage}. Restore a backup of the database; or move ${log} away to continue without these changes.`,
    );
  const size = sizeOf(path);
  if (size !== undefined && size > 0) return true;
  if (sizeOf(log) || (size === 0 && usedBefore))
    throw new Error(
      `The database ${path} is ${size === 0 ? 'empty' : 'missing'}, but ${sizeOf(log) ? log : lockOf(path)} shows that there was one ([database] path). Restore a backup of it; or move ${path}, ${log} and ${lockOf(path)} away to start without any nodes.`,
    );
  return false;
}

const sizeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.size;

const HEADER_BYTES = 32;
const CHECKED_BYTES = 24;
const MAGIC = 0x377f0682;

/**
 * Returns why SQLite would silently ignore the whole write-ahead log (sqlite.org/fileformat2.html, section 4.1). Returns undefined
 * if SQLite would read the log, if the log is missing or empty, and if its header is all zeros, which a power failure can leave
 * before anything is written to the log.
 */
function damageOf(log: string): string | undefined {
  if (!sizeOf(log)) return undefined;
  const header = headerOf(log);
  if (header.every((octet) => octet === 0)) return undefined;
  const magic = header.readUInt32BE(0);
  if (magic !== MAGIC && magic !== MAGIC + 1) return 'is not a write-ahead log';
  const word = (at: number) => (magic === MAGIC ? header.readUInt32LE(at) : header.readUInt32BE(at));
  let [first, second] = [0, 0];
  for (let at = 0; at < CHECKED_BYTES; at += 8) {
    first = (first + word(at) + second) >>> 0;
    second = (second + word(at + 4) + first) >>> 0;
  }
  const intact =
    header.readUInt32BE(CHECKED_BYTES) === first && header.readUInt32BE(CHECKED_BYTES + 4) === second;
  return intact ? undefined : 'has a damaged header';
}

/** Returns the first HEADER_BYTES of the file, padded with zeros if it is shorter. */
function headerOf(file: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
    return header;
  } finally {
    closeSync(descriptor);
  }
}

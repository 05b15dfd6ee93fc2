// The plugins that `plugin install` has put into a directory: each is a link DIRECTORY/NAME to a folder in
// DIRECTORY/.installed, so that one rename replaces a version, and another one brings it back.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { flush } from '../../lib/files/flush.ts';
import { reasonOf } from '../../model/faults.ts';
import { folderFiles } from './folder-files.ts';
import type { OpenedPackage } from './package-file.ts';
import type { ArchivedFile } from './tar.ts';

const STORE = '.installed';

/** Where an installed plugin comes from. */
export interface Origin {
  /** The path or URL of the package. */
  readonly origin: string;
  /** The fingerprint of the key that signed the package; null if it is not signed. */
  readonly signer: string | null;
  readonly installed_at: string;
}

interface StoredOrigin extends Origin {
  /** The SHA-256 digest of each file, by its path. */
  readonly digests: Readonly<Record<string, string>>;
}

const digestsOf = (files: readonly ArchivedFile[]): StoredOrigin['digests'] =>
  Object.fromEntries(
    files.map(({ path, bytes }) => [path, createHash('sha256').update(bytes).digest('hex')]),
  );

/** Unpacks a plugin beside the active ones; returns its folder, which is not active yet. */
export const storePlugin = (...args: Parameters<typeof unpack>): string =>
  readableByAll(() => unpack(...args));

/** Calls `write` with the umask 022: the daemon, which reads the files, often runs as another user than the writer. */
function readableByAll<T>(write: () => T): T {
  const umask = process.umask(0o022);
  try {
    return write();
  } finally {
    process.umask(umask);
  }
}

function unpack(
  directory: string,
  { name, files }: Pick<OpenedPackage, 'name' | 'files'>,
  origin: Origin,
): string {
  const stored: StoredOrigin = { ...origin, digests: digestsOf(files) };
  const store = join(directory, STORE);
  mkdirSync(store, { recursive: true });
  const folder = mkdtempSync(join(store, `${name}-`));
  try {
    chmodSync(folder, 0o755);
    for (const { path, isExecutable, bytes } of files) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      // creates a new file each time: nothing that exists is followed or overwritten
      writeFileSync(file, bytes, { flag: 'wx', mode: isExecutable ? 0o755 : 0o644, flush: true });
    }
    writeFileSync(`${folder}.json`, `${JSON.stringify(stored, null, 2)}\n`, { flag: 'wx', flush: true });
    return folder;
  } catch (error) {
    discard(folder);
    throw error;
  }
}

/** Removes a folder of the store and the record of its origin. */
export function discard(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  rmSync(`${folder}.json`, { force: true });
}

/**
 * Returns the folder in the store that is active under the name; undefined if there is none. Throws an Error if the directory has
 * something else of this name.
 */
export function activeFolder(directory: string, name: string): string | undefined {
  const link = join(directory, name);
  const found = lstatSync(link, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isSymbolicLink() || dirname(readlinkSync(link)) !== STORE)
    throw new Error(`${link} was not put there by "ironic-edge plugin install"; move it away yourself`);
  return join(directory, readlinkSync(link));
}

/** Makes the folder the active plugin of that name, in place of any other. If it is undefined, no plugin has the name any more. */
export function activate(directory: string, name: string, folder: string | undefined): void {
  const link = join(directory, name);
  if (folder === undefined) rmSync(link, { force: true });
  else {
    const next = join(directory, STORE, `.${basename(folder)}.link`);
    rmSync(next, { force: true });
    symlinkSync(join(STORE, basename(folder)), next);
    renameSync(next, link);
  }
  flush(directory);
}

/** Removes the folders of the plugin, except those in `keep`: a running daemon may still need the previous version. */
export function discardOthers(directory: string, name: string, keep: readonly (string | undefined)[]): void {
  const store = join(directory, STORE);
  const suffixLength = 6;
  for (const entry of readdirSync(store)) {
    const isOfPlugin = entry.length === name.length + 1 + suffixLength && entry.startsWith(`${name}-`);
    if (isOfPlugin && !keep.includes(join(store, entry))) discard(join(store, entry));
  }
}

/**
 * Returns where the plugin comes from; undefined if it was not installed from a package. Throws an Error if the record of its
 * origin cannot be read.
 */
export function originOf(folder: string): Origin | undefined {
  return storedOrigin(realpathSync(folder));
}

/**
 * Returns the paths of the files that were changed, added or removed since the plugin was installed; none if it was not installed
 * from a package.
 */
export function changedFiles(folder: string): readonly string[] {
  const real = realpathSync(folder);
  const { digests: installed } = storedOrigin(real) ?? {};
  if (installed === undefined) return [];
  const found = digestsOf(folderFiles(real));
  const paths = new Set([...Object.keys(installed), ...Object.keys(found)]);
  return [...paths].filter((path) => installed[path] !== found[path]);
}

function storedOrigin(folder: string): StoredOrigin | undefined {
  if (basename(dirname(folder)) !== STORE) return undefined;
  try {
    return JSON.parse(readFileSync(`${folder}.json`, 'utf8')) as StoredOrigin;
  } catch (error) {
    throw new Error(`${folder}.json cannot be read: ${reasonOf(error)}; install the plugin again`, {
      cause: error,
    });
  }
}

// Images that are files of this host: which ones may be read. A user who may name any file could have the daemon's own
// secrets written to a machine's disk.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { reasonOf } from '../../model/faults.ts';
import type { HashAlgorithm } from '../../model/machine/image-checksum.ts';

export interface FileRules {
  /**
   * The daemon's own directory, which contains the database. Of the files in it, only those below `agent-images`, which
   * `ironic-edge agent-image` has built, may be read as images.
   */
  readonly stateDirectory: string;
  /** Image files must be below one of these directories, or below `agent-images` of the daemon's own directory. */
  readonly allowedRoots: readonly string[];
}

/**
 * Resolves to the real path of the file, without symbolic links. Throws an Error with the reason when the file is not a regular
 * file, or may not be read as an image.
 */
export async function allowedFile(
  named: string,
  { stateDirectory, allowedRoots }: FileRules,
): Promise<string> {
  const real = await realpath(named).catch((error: unknown) => {
    throw new Error(reasonOf(error), { cause: error });
  });
  const own = await isBelow(real, [path.join(stateDirectory, 'agent-images')]);
  if (!own && (await isBelow(real, [stateDirectory])))
    throw new Error('it is one of the files of the daemon');
  if (!own && !(await isBelow(real, allowedRoots)))
    throw new Error(
      `it is not below a directory of [conductor] file_url_allowed_paths (${allowedRoots.join(', ') || 'none'})`,
    );
  // before anything is read: reading a device or a pipe might never end
  if (!(await stat(real)).isFile()) throw new Error('it is not a regular file');
  return real;
}

/** `real`: a path without symbolic links. */
async function isBelow(real: string, directories: readonly string[]): Promise<boolean> {
  const roots = await Promise.all(directories.map((each) => realpath(each).catch(() => each)));
  return roots.some((root) => real.startsWith(root.endsWith('/') ? root : `${root}/`));
}

export async function digestOf(file: string, algorithm: HashAlgorithm): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file, { highWaterMark: 1_048_576 }), hash);
  return hash.digest('hex');
}

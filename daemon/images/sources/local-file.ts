// Images that are files of this host: which ones may be read. A user who may name any file could have the daemon's own
// secrets written to a machine's disk.
import { agentImagesIn } from '../../lib/files/agent-images.ts';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { reasonOf } from '../../model/faults.ts';

/** The directory of the fetched images of the catalogue, below the daemon's own. */
export const CATALOGUE = 'catalogue';

export interface FileRules {
  /**
   * The daemon's own directory, which contains the database. Of the files in it, only those below `agent-images`, which
   * `ironic-edge agent-image` has built, and those below `catalogue`, which the daemon has fetched, may be read as images.
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
  const own = await isBelow(real, [agentImagesIn(stateDirectory), path.join(stateDirectory, CATALOGUE)]);
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

/** Whether only the daemon writes to the file. `real`: a path without symbolic links. */
export const isKeptFile = (real: string, { stateDirectory }: FileRules): Promise<boolean> =>
  isBelow(real, [path.join(stateDirectory, CATALOGUE)]);

/** `real`: a path without symbolic links. */
async function isBelow(real: string, directories: readonly string[]): Promise<boolean> {
  const roots = await Promise.all(directories.map((each) => realpath(each).catch(() => each)));
  return roots.some((root) => real.startsWith(root.endsWith('/') ? root : `${root}/`));
}

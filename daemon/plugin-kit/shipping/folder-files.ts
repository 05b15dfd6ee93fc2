// The files of a plugin's folder that are shipped: all but hidden ones.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ArchivedFile } from './tar.ts';

/**
 * Returns the files below the folder. Throws an Error for anything but files and folders, because a link means something else on
 * another machine.
 */
export function folderFiles(folder: string, below = ''): readonly ArchivedFile[] {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.'))
    .flatMap((entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) return folderFiles(folder, path);
      const file = join(folder, path);
      if (!entry.isFile())
        throw new Error(
          `${file} is neither a file nor a folder, and a package can hold nothing else; replace or remove it`,
        );
      const isExecutable = (statSync(file).mode & 0o100) !== 0;
      return [{ path, isExecutable, bytes: readFileSync(file) }];
    });
}

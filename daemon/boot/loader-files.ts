// The boot loaders that the operator lists in [pxe] loader_file_paths, by the names that machines ask for.
import { realpathSync } from 'node:fs';
import { pairsOf } from '../config/sections/typed-options.ts';
import type { Logger } from '../lib/logger.ts';
import type { Served, ServedNames } from './served-files.ts';

/** Resolves symbolic links now, because Debian's /usr/lib/ipxe/ipxe.efi is a link and the servers follow no links. */
export function loaderFiles(pairs: readonly string[], log: Logger): ServedNames {
  const files = [...pairsOf(pairs)].flatMap(([name, path]): [string, Served][] => {
    try {
      return [[name, { kind: 'file', path: realpathSync(path) }]];
    } catch (error) {
      log.warn({ name, error }, '[pxe] loader_file_paths: the file cannot be found and is not served');
      return [];
    }
  });
  return Object.fromEntries(files);
}

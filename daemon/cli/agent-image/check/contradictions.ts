// Finds contradictions between files that boot together.
import type { CheckedFile } from './check-file.ts';

/**
 * Returns a sentence for each kernel of a known version if no ramdisk has the modules of that version. Returns no sentences if no
 * ramdisk has any modules.
 */
export function contradictions(files: readonly CheckedFile[]): readonly string[] {
  const ramdisks = files
    .flatMap(({ ramdisk }) => ramdisk ?? [])
    .filter(({ modulesOf }) => modulesOf.size > 0);
  const served = new Set(ramdisks.flatMap(({ modulesOf }) => [...modulesOf]));
  return files.flatMap(({ file, kernel }) => {
    const version = kernel?.version;
    if (version === undefined || ramdisks.length === 0 || served.has(version)) return [];
    return [
      `${file} is kernel ${version}, but the ramdisk has the modules of ${[...served].join(', ')}: network cards and disks will not be found. Use kernel and ramdisk of one build`,
    ];
  });
}

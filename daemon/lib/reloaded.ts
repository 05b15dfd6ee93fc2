// What is made of files, made again when one of them changed. It is looked at on use: nothing polls, and nothing is
// missed when a file is replaced through links or on a file system that tells nobody.
import { statSync } from 'node:fs';

/**
 * The result gives what `make` makes of the files. The first `make` may throw; later, a change that it throws on keeps
 * what was made before, and `onFailure` hears of it once.
 */
export function reloaded<T>(
  files: readonly string[],
  make: () => T,
  onFailure: (error: unknown) => void,
): () => T {
  let stamp = stampOf(files);
  let made = make();
  return () => {
    const seen = stampOf(files);
    if (seen === stamp) return made;
    stamp = seen;
    try {
      made = make();
    } catch (error) {
      onFailure(error);
    }
    return made;
  };
}

const stampOf = (files: readonly string[]) => files.map(fileStamp).join(' ');

function fileStamp(file: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(':');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

// Values that are derived from files, and derived again when one of the files has changed. The files are checked on each use of
// the value, not polled or watched; this notices replaced links and works on file systems without change notification.
import { statSync } from 'node:fs';

/**
 * Returns a function that returns the latest result of `make`. Throws if the first call of `make` throws. If a later call throws,
 * the function returns the previous result, and `onFailure` is called once for this change of the files.
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

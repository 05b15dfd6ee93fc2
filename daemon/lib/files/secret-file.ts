// Reads files that contain secrets.
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * Returns the text of the file. Throws a one-sentence Error when the file cannot be read, or when its mode lets every user of
 * the host read, write or execute it.
 */
export function readSecretFile(path: string): string {
  const file = openSync(path, 'r');
  try {
    const stats = fstatSync(file);
    const mode = stats.mode & 0o777;
    if ((mode & 0o007) !== 0) {
      const advice = stats.isFile() ? `run: chmod 640 ${path}` : 'it is no regular file: name one';
      throw new Error(`${path} is open to every user of this host (mode ${mode.toString(8)}); ${advice}`);
    }
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

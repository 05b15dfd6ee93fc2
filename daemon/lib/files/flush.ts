// Writes what the kernel keeps of a file to the disk.
import { closeSync, fsyncSync, openSync } from 'node:fs';

/** What has been written to the file, or the names in the directory, survive a loss of power. */
export function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

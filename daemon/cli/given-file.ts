// Reads a file that an argument or an environment variable names.
import { readFileSync } from 'node:fs';
import { reasonOf } from '../model/faults.ts';

/** `-` is standard input. Throws a one-sentence Error that names `argument` when the file cannot be read. */
export function readGivenFile(argument: string, file: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw new Error(
      `${argument} ${file} cannot be read: ${reasonOf(error)}. Name a file that you may read.`,
      {
        cause: error,
      },
    );
  }
}

// Reads files whose paths may come from an API client, in a field of a node, and not from the operator.
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';

/**
 * Returns the text of the file. Rejects with a one-sentence Error when it cannot be read, is larger than `limitBytes`, or is not a
 * regular file: reading a device or a pipe might never end, and merely opening one may do harm. Does not block.
 */
export async function readRegularFile(path: string, limitBytes: number): Promise<string> {
  if (!(await stat(path)).isFile()) throw new Error(`${path} is not a regular file`);
  // O_NONBLOCK, because a pipe may have taken the place of the file, and opening a pipe waits for a writer
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a regular file`);
    const bytes = Buffer.alloc(limitBytes + 1);
    // read to the end, because files in /proc and /sys do not report their true size
    let size = 0;
    for (let read = 1; read > 0 && size < bytes.length; size += read)
      read = (await file.read(bytes, size, bytes.length - size)).bytesRead;
    if (size > limitBytes) throw new Error(`${path} is larger than ${limitBytes / 1024} KiB`);
    return bytes.toString('utf8', 0, size);
  } finally {
    await file.close();
  }
}

// What a transfer sends: bytes in memory, or a regular file of the size that it had when it was opened.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Served } from '../served-files.ts';

export interface TftpContent {
  /** Undefined when the size is known only at the end. */
  readonly sizeBytes: number | undefined;
  /** Fills `views` in order with the next bytes. Returns their number: as many as fit, or fewer at the end of the content. */
  read(views: readonly Buffer[]): Promise<number>;
  close(): Promise<void>;
}

/**
 * Rejects when the file cannot be opened, or is a symbolic link, a pipe, a device or a directory. A pipe is refused at once,
 * without waiting for a writer.
 */
export const openTftpContent = async (served: Served): Promise<TftpContent> =>
  served.kind === 'bytes' ? contentOfBytes(served.bytes) : contentOfFile(served.path);

function contentOfBytes(bytes: Uint8Array): TftpContent {
  let at = 0;
  return {
    sizeBytes: bytes.length,
    async read(views) {
      const from = at;
      for (const view of views) {
        const part = bytes.subarray(at, at + view.length);
        view.set(part);
        at += part.length;
      }
      return at - from;
    },
    close: async () => {},
  };
}

async function contentOfFile(path: string): Promise<TftpContent> {
  // without O_NONBLOCK, opening a pipe would wait for a writer, in one of the few threads that all file operations share
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new Error(`${path} is not a regular file`);
    return sizedContent(file, path, status.size);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function sizedContent(file: FileHandle, path: string, sizeBytes: number): TftpContent {
  let at = 0;
  return {
    sizeBytes,
    async read(views) {
      const wanted = shortened(views, sizeBytes - at);
      const found = await readFully(file, wanted, at);
      at += found;
      if (found < byteLength(wanted)) throw new Error(`${path} became shorter while it was sent`);
      return found;
    },
    close: () => file.close(),
  };
}

const byteLength = (views: readonly Buffer[]) => views.reduce((sum, { length }) => sum + length, 0);

/** The first `bytes` bytes of `views`. */
function shortened(views: readonly Buffer[], bytes: number): readonly Buffer[] {
  const kept: Buffer[] = [];
  let left = bytes;
  for (const view of views) {
    if (left <= 0) break;
    kept.push(view.length > left ? view.subarray(0, left) : view);
    left -= view.length;
  }
  return kept;
}

/**
 * Fills `views`, or as much of them as the file has bytes for, and returns the number of bytes. Reads again after a short read,
 * because a file system may return fewer bytes than asked for at any position, not only at the end of the file.
 */
async function readFully(file: FileHandle, views: readonly Buffer[], position: number): Promise<number> {
  let left = views;
  let total = 0;
  while (left.length > 0) {
    const { bytesRead } = await file.readv(left, position + total);
    if (bytesRead === 0) break;
    total += bytesRead;
    left = after(left, bytesRead);
  }
  return total;
}

/** What follows the first `bytes` bytes of `views`. */
function after(views: readonly Buffer[], bytes: number): readonly Buffer[] {
  let skipped = 0;
  for (const [index, view] of views.entries()) {
    if (skipped + view.length > bytes) return [view.subarray(bytes - skipped), ...views.slice(index + 1)];
    skipped += view.length;
  }
  return [];
}

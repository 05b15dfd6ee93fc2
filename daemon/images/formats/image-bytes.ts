// The bytes of an image, as the readers of its format see them.
import { open } from 'node:fs/promises';

export interface ImageBytes {
  readonly size: number;
  /** Returns fewer bytes, or none, where the image ends. */
  read(offset: number, length: number): Promise<Buffer>;
}

/** Calls `use` with the bytes of a file. */
export async function withBytesOf<T>(path: string, use: (bytes: ImageBytes) => Promise<T>): Promise<T> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    return await use({
      size,
      async read(offset, length) {
        if (!Number.isSafeInteger(offset) || offset < 0 || offset >= size) return Buffer.alloc(0);
        const buffer = Buffer.alloc(Math.min(length, size - offset));
        const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
        return buffer.subarray(0, bytesRead);
      },
    });
  } finally {
    await file.close();
  }
}

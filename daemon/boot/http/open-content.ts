// Opens the content that a name stands for, so that an answer sends one version of that content.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Served } from '../served-files.ts';
import type { ContentVersion } from './conditions.ts';

export interface HttpContent extends ContentVersion {
  /** The size when the content was opened. */
  readonly size: number;
  readonly source: { readonly kind: 'bytes'; readonly bytes: Uint8Array } | OpenFile;
  close(): Promise<void>;
}

export interface OpenFile {
  readonly kind: 'file';
  readonly path: string;
  readonly handle: FileHandle;
  /** Whether the file has been written to since it was opened. */
  hasChanged(): Promise<boolean>;
}

// without NONBLOCK, opening a pipe would wait for a writer
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Rejects when the file cannot be opened or is not a regular file. */
export async function openHttpContent(served: Served): Promise<HttpContent> {
  if (served.kind === 'bytes') return bytesContent(served.bytes);
  const handle = await open(served.path, FLAGS);
  try {
    return await fileContent(handle, served.path);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function bytesContent(bytes: Uint8Array): HttpContent {
  const hash = createHash('sha256').update(bytes).digest('base64url');
  return {
    size: bytes.byteLength,
    etag: `"${hash}"`,
    source: { kind: 'bytes', bytes },
    close: async () => undefined,
  };
}

async function fileContent(handle: FileHandle, path: string): Promise<HttpContent> {
  const stat = await handle.stat({ bigint: true });
  if (!stat.isFile()) throw new Error(`${path} is not a regular file`);
  const state = [stat.ino, stat.size, stat.mtimeNs].map((number) => number.toString(36)).join('-');
  return {
    size: Number(stat.size),
    etag: `"${state}"`,
    modified: Number(stat.mtimeMs / 1000n) * 1000,
    source: {
      kind: 'file',
      path,
      handle,
      async hasChanged() {
        const { size, mtimeNs } = await handle.stat({ bigint: true });
        return size !== stat.size || mtimeNs !== stat.mtimeNs;
      },
    },
    close: () => handle.close(),
  };
}

// Reads an initramfs, which consists of cpio archives one after another, each plain or compressed.
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { ByteReader } from './byte-reader.ts';
import { CPIO_MAGIC, type CpioEntry, cpioEntries } from './cpio.ts';

export type Compression = 'none' | 'gzip' | 'zstd' | 'xz' | 'lz4' | 'bzip2' | 'lzma';

const STARTS: readonly (readonly [Compression, Buffer])[] = [
  ['none', Buffer.from(CPIO_MAGIC)],
  ['gzip', Buffer.from('1f8b', 'hex')],
  ['zstd', Buffer.from('28b52ffd', 'hex')],
  ['xz', Buffer.from('fd377a585a', 'hex')],
  ['lz4', Buffer.from('02214c18', 'hex')],
  ['bzip2', Buffer.from('425a68', 'hex')],
  ['lzma', Buffer.from('5d0000', 'hex')],
];

/** Undefined for bytes that are not the start of an initramfs. */
export const compressionOf = (start: Buffer): Compression | undefined =>
  STARTS.find(([, magic]) => start.subarray(0, magic.length).equals(magic))?.[0];

/**
 * Yields the entries of the file. Throws an Error when the file is not an initramfs, or is compressed, but with neither gzip nor
 * zstd. Stops after the first compressed archive.
 */
export async function* initramfsEntries(file: string): AsyncGenerator<CpioEntry> {
  for (let offset = 0; ;) {
    const found = await nextArchive(file, offset);
    if (found === undefined) return;
    const reader = new ByteReader(decompressed(file, found));
    try {
      yield* cpioEntries(reader);
    } finally {
      await reader.close();
    }
    if (found.compression !== 'none') return;
    offset = found.offset + reader.position;
  }
}

interface Archive {
  readonly offset: number;
  readonly compression: Compression;
}

const BLOCK_BYTES = 65_536;

/** Undefined when only zeros follow. */
async function nextArchive(file: string, from: number): Promise<Archive | undefined> {
  await using handle = await open(file);
  for (let offset = from; ; offset += BLOCK_BYTES) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BLOCK_BYTES), 0, BLOCK_BYTES, offset);
    if (bytesRead === 0) return undefined;
    const zeros = buffer.subarray(0, bytesRead).findIndex((byte) => byte !== 0);
    if (zeros < 0) continue;
    const { buffer: start } = await handle.read(Buffer.alloc(8), 0, 8, offset + zeros);
    const compression = compressionOf(start);
    if (compression === undefined) throw new Error(`no archive at byte ${offset + zeros}`);
    return { offset: offset + zeros, compression };
  }
}

function decompressed(file: string, { offset, compression }: Archive): Readable {
  const unpacked = unpacker(compression);
  const packed = createReadStream(file, { start: offset });
  // the callback may ignore an error, because the error also reaches the reader of `unpacked`
  return unpacked === undefined ? packed : pipeline(packed, unpacked, () => undefined);
}

/** Undefined for an archive that is not compressed. */
function unpacker(compression: Compression): Transform | undefined {
  if (compression === 'none') return undefined;
  if (compression === 'gzip') return createGunzip();
  if (compression === 'zstd') return createZstdDecompress();
  throw new Error(`its archive is compressed with ${compression}, and only gzip and zstd can be looked into`);
}

// A file that is being written, with the digests of its content so far.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { claimRoom, diskFull, refuseWithoutRoom } from '../../lib/files/disk-room.ts';
import type { HashAlgorithm } from '../../model/machine/image-checksum.ts';

/** How often the room on the disk is looked at. */
const LOOK_BYTES = 1_048_576;

export class FileDraft {
  readonly path: string;
  bytes = 0;
  /** Called after every piece, with the bytes so far and those that are expected. */
  onBytes: ((bytes: number, total: number | null) => void) | undefined;
  #lookAt = 0;
  #claim: { readonly room: Disposable; readonly bytes: number } | undefined;
  readonly #file: FileHandle;
  readonly #algorithms: readonly HashAlgorithm[];
  #hashes: ReadonlyMap<HashAlgorithm, Hash>;

  private constructor(file: FileHandle, at: string, algorithms: readonly HashAlgorithm[]) {
    this.#file = file;
    this.path = at;
    this.#algorithms = [...new Set<HashAlgorithm>(['sha256', ...algorithms])];
    this.#hashes = newHashes(this.#algorithms);
  }

  /** Creates the file. `algorithms`: the digests to compute in addition to SHA-256. */
  static async create(at: string, algorithms: readonly HashAlgorithm[]): Promise<FileDraft> {
    return new FileDraft(await open(at, 'wx', 0o644), at, algorithms);
  }

  /** Claims room for a file of this size, until the draft is disposed of. Rejects with DiskFull when the disk has no room for it. */
  async expect(bytes: number): Promise<void> {
    if (this.#claim?.bytes === bytes) return;
    this.#claim?.room[Symbol.dispose]();
    this.#claim = undefined;
    this.#claim = { room: await claimRoom(this.path, bytes), bytes };
  }

  /** Rejects with DiskFull when the disk is full. */
  async write(piece: Uint8Array): Promise<void> {
    await this.#refuseWithoutRoom(piece);
    for (const hash of this.#hashes.values()) hash.update(piece);
    try {
      for (let done = 0; done < piece.length;) {
        const { bytesWritten } = await this.#file.write(piece, done, piece.length - done, this.bytes);
        done += bytesWritten;
        this.bytes += bytesWritten;
      }
    } catch (error) {
      throw await explained(error, path.dirname(this.path));
    }
    this.onBytes?.(this.bytes, this.#claim?.bytes ?? null);
  }

  async #refuseWithoutRoom({ length }: Uint8Array): Promise<void> {
    if (this.bytes + length <= (this.#claim?.bytes ?? 0) || this.bytes < this.#lookAt) return;
    await refuseWithoutRoom(path.dirname(this.path), length);
    this.#lookAt = this.bytes + LOOK_BYTES;
  }

  async clear(): Promise<void> {
    await this.#file.truncate(0);
    this.bytes = 0;
    this.#lookAt = 0;
    this.#hashes = newHashes(this.#algorithms);
  }

  /** Sets `bytes` and the SHA-256 from what another program has written to the file. Other digests are not available then. */
  async read(): Promise<void> {
    const hash = createHash('sha256');
    for await (const piece of createReadStream(this.path, { highWaterMark: 1_048_576 }))
      hash.update(piece as Buffer);
    this.bytes = (await this.#file.stat()).size;
    this.#hashes = new Map([['sha256', hash]]);
  }

  /** Returns the digest of the content so far in hexadecimal; empty for an algorithm that is not computed. */
  digest(algorithm: HashAlgorithm): string {
    return this.#hashes.get(algorithm)?.copy().digest('hex') ?? '';
  }

  /** Resolves when the content is on the disk. */
  async sync(): Promise<void> {
    await this.#file.sync();
  }

  /** Closes the file, and removes it unless it has been renamed. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#claim?.room[Symbol.dispose]();
    await this.#file.close();
    await rm(this.path, { force: true });
  }
}

const newHashes = (algorithms: readonly HashAlgorithm[]): ReadonlyMap<HashAlgorithm, Hash> =>
  new Map(algorithms.map((algorithm) => [algorithm, createHash(algorithm)]));

async function explained(error: unknown, directory: string): Promise<unknown> {
  const { code } = error as { readonly code?: unknown };
  return code === 'ENOSPC' || code === 'EDQUOT' ? diskFull(directory) : error;
}

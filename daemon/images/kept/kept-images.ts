// The fetched images of the catalogue, which are kept until nothing uses them: files that are named by their SHA-256.
import { randomUUID } from 'node:crypto';
import { constants, existsSync, readdirSync, rmSync } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { claimRoom } from '../../lib/files/disk-room.ts';
import type { HashAlgorithm } from '../../model/machine/image-checksum.ts';
import { FileDraft } from '../cache/file-draft.ts';
import { DRAFT } from '../cache/make-room.ts';
import type { StoredImage } from '../image-store.ts';
import { CATALOGUE } from '../sources/local-file.ts';
import { digestOf } from './digest-of.ts';

const SHA256 = /^[0-9a-f]{64}$/;

export class KeptImages {
  readonly #directory: string;
  /** The paths of files that machines may be reading. */
  readonly #served: () => ReadonlySet<string>;
  /** What is kept, but is not in a record yet, by SHA-256. */
  readonly #holds = new Map<string, number>();
  #turn: Promise<unknown> = Promise.resolve();

  /** Removes the drafts of a daemon that was killed. */
  constructor(stateDirectory: string, served: () => ReadonlySet<string>) {
    this.#directory = path.join(stateDirectory, CATALOGUE);
    this.#served = served;
    if (!existsSync(this.#directory)) return;
    for (const name of readdirSync(this.#directory))
      if (name.startsWith(DRAFT)) rmSync(path.join(this.#directory, name), { force: true });
  }

  /** Returns the URL of the file with this SHA-256; undefined if it is not kept. */
  urlOf(sha256: string | null): string | undefined {
    if (sha256 === null || !SHA256.test(sha256)) return undefined;
    const file = this.#pathOf(sha256);
    return existsSync(file) ? pathToFileURL(file).href : undefined;
  }

  /**
   * Keeps a copy of the image, which shares its bytes with the original where the file system can. Dispose of the result when a
   * record names the image. Rejects with DiskFull, or an Error when the image is changed while it is copied.
   */
  keep(image: StoredImage): Promise<Disposable> {
    return this.#held(image.sha256, async () => {
      await this.#makeDirectory();
      if (this.urlOf(image.sha256) === undefined) await this.#copy(image);
    });
  }

  /** Creates a file for content that arrives; `adopt` keeps it. */
  async draft(algorithms: readonly HashAlgorithm[]): Promise<FileDraft> {
    await this.#makeDirectory();
    return FileDraft.create(this.#draftPath(), algorithms);
  }

  /** Keeps the content of a draft. Dispose of the result when a record names the image. */
  adopt(draft: FileDraft): Promise<Disposable> {
    const sha256 = draft.digest('sha256');
    return this.#held(sha256, async () => {
      await draft.sync();
      await rename(draft.path, this.#pathOf(sha256));
    });
  }

  /** Resolves to the SHA-256 of what is kept under this one. */
  digest(sha256: string): Promise<string> {
    return digestOf(this.#pathOf(sha256), 'sha256');
  }

  /** Removes one file, if there is one. */
  async remove(sha256: string): Promise<void> {
    await this.#inTurn(() => rm(this.#pathOf(sha256), { force: true }));
  }

  /** Removes the files that are neither wanted, nor held, nor served. `wanted`: returns their SHA-256. */
  async keepOnly(wanted: () => ReadonlySet<string>): Promise<void> {
    await this.#inTurn(async () => {
      const names = await readdir(this.#directory).catch(() => []);
      // at most sites and starts, none is kept: then no record is read
      if (names.length === 0) return;
      const [kept, served] = [wanted(), this.#served()];
      const gone = names.filter(
        (name) =>
          SHA256.test(name) && !kept.has(name) && !this.#holds.has(name) && !served.has(this.#pathOf(name)),
      );
      await Promise.all(gone.map((name) => rm(this.#pathOf(name), { force: true })));
    });
  }

  #pathOf(sha256: string): string {
    return path.join(this.#directory, sha256);
  }

  #draftPath(): string {
    return path.join(this.#directory, `${DRAFT}${randomUUID()}`);
  }

  async #makeDirectory(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o755 });
  }

  /** Does `work`, which makes the file. It is not removed until the result is disposed of. */
  async #held(sha256: string, work: () => Promise<void>): Promise<Disposable> {
    const release = this.#hold(sha256);
    try {
      await this.#inTurn(work);
      return { [Symbol.dispose]: release };
    } catch (error) {
      release();
      throw error;
    }
  }

  #hold(sha256: string): () => void {
    this.#holds.set(sha256, (this.#holds.get(sha256) ?? 0) + 1);
    let isHeld = true;
    return () => {
      const others = (this.#holds.get(sha256) ?? 0) - (isHeld ? 1 : 0);
      isHeld = false;
      if (others > 0) this.#holds.set(sha256, others);
      else this.#holds.delete(sha256);
    };
  }

  /** Copying and removing follow each other: a file that is about to be removed is not taken for one that is kept. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #copy({ path: from, bytes, sha256, isOwn }: StoredImage): Promise<void> {
    const to = this.#pathOf(sha256);
    // nobody changes a file that only the daemon writes; on another disk it is copied
    if (
      isOwn &&
      (await link(from, to).then(
        () => true,
        () => false,
      ))
    )
      return;
    const draft = this.#draftPath();
    try {
      using _ = await claimRoom(draft, bytes);
      await copyFile(from, draft, constants.COPYFILE_FICLONE);
      if ((await digestOf(draft, 'sha256')) !== sha256)
        throw new Error('it was changed while it was read; try again');
      await using file = await open(draft);
      await file.sync();
      await rename(draft, to);
    } finally {
      await rm(draft, { force: true });
    }
  }
}

// The directory with local copies of images. A key identifies an image, and has a subdirectory with the current copy, an entry that
// describes it, and sometimes the previous copy. An entry is written only when its copy is complete and checked, so a killed daemon
// leaves none for an incomplete copy. It may leave drafts, files that were being written; the next start removes them.
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { HashAlgorithm } from '../../model/machine/image-checksum.ts';
import type { SourceVersion } from '../sources/download.ts';
import { FileDraft } from './file-draft.ts';
import { DRAFT } from './make-room.ts';

/** The description that is kept beside the current copy: its version, origin, checksum and size. */
export interface Entry extends SourceVersion {
  /** The URL without user and password. */
  readonly url: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface Copy extends Entry {
  readonly path: string;
  readonly isOwn: true;
}

const ENTRY = 'entry.json';

export class ImageCache {
  readonly directory: string;

  /** Removes the drafts of a daemon that was killed. */
  constructor(directory: string) {
    this.directory = directory;
    sweep(directory);
  }

  /**
   * The copy that was last kept under `key`; undefined when there is none, or when the copy does not have the size that its entry
   * names.
   */
  async find(key: string): Promise<Copy | undefined> {
    const place = this.#place(key);
    try {
      const entry = JSON.parse(await readFile(path.join(place, ENTRY), 'utf8')) as Entry;
      const copy = copyOf(place, entry);
      const { size } = await stat(copy.path);
      return size === entry.bytes ? copy : undefined;
    } catch {
      return undefined;
    }
  }

  /** Records that the copy is used, which keeps it longer. `milliseconds`: the time of use, since the epoch. */
  async touch(key: string, milliseconds: number): Promise<void> {
    const seconds = milliseconds / 1000;
    await utimes(path.join(this.#place(key), ENTRY), seconds, seconds);
  }

  async draft(key: string, algorithms: readonly HashAlgorithm[] = []): Promise<FileDraft> {
    const place = this.#place(key);
    await mkdir(place, { recursive: true, mode: 0o755 });
    return FileDraft.create(path.join(place, `${DRAFT}${randomUUID()}`), algorithms);
  }

  /**
   * Makes the draft the copy of `key`. The previous copy is not removed, because machines that are booting may be reading it;
   * older copies are removed.
   */
  async keep(key: string, draft: FileDraft, origin: Pick<Entry, 'url'> & SourceVersion): Promise<Copy> {
    const place = this.#place(key);
    const known = await this.find(key);
    const entry: Entry = { ...origin, sha256: draft.digest('sha256'), bytes: draft.bytes };
    await draft.sync();
    await rename(draft.path, contentOf(place, entry));
    await writeEntry(place, entry);
    const kept = new Set([
      ENTRY,
      ...[entry, known ?? entry].map((each) => path.basename(contentOf(place, each))),
    ]);
    const others = (await readdir(place)).filter((name) => !kept.has(name) && !name.startsWith(DRAFT));
    await Promise.all(others.map((name) => rm(path.join(place, name), { force: true })));
    return copyOf(place, entry);
  }

  #place(key: string): string {
    return path.join(this.directory, createHash('sha256').update(key).digest('hex').slice(0, 32));
  }
}

const contentOf = (place: string, { sha256 }: Entry): string => path.join(place, sha256.slice(0, 32));

const copyOf = (place: string, entry: Entry): Copy => ({
  ...entry,
  path: contentOf(place, entry),
  isOwn: true,
});

/** Replaces the entry as a whole, or not at all. */
async function writeEntry(place: string, entry: Entry): Promise<void> {
  const draft = path.join(place, `${DRAFT}${randomUUID()}`);
  await writeFile(draft, JSON.stringify(entry), { flush: true });
  await rename(draft, path.join(place, ENTRY));
}

function sweep(directory: string): void {
  for (const place of namesIn(directory).map((name) => path.join(directory, name)))
    for (const name of namesIn(place).filter((each) => each.startsWith(DRAFT)))
      rmSync(path.join(place, name), { force: true });
}

/** Returns no names for what is not a directory, or does not exist. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

// Copies of images for the virtual drives of BMCs. Each copy belongs to one drive. Copies are kept outside the cache, so that a
// copy can be deleted as soon as its image is detached from the drive: the content may be meant for that machine alone.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Fault, fault, reasonOf } from '../model/faults.ts';
import { FileDraft } from './cache/file-draft.ts';
import { inspectImage } from './formats/inspect-image.ts';
import type { ImageStore } from './image-store.ts';
import { type Draft, download } from './sources/download.ts';
import { type ImageReference, parseImageReference, withoutLogin } from './sources/image-reference.ts';
import type { WebSettings } from './sources/web-server.ts';

export interface MediaCopies {
  /** Resolves to the name of a new copy. Throws ImageUnusable, or InvalidParameter for a wrong URL. */
  download(url: string, signal: AbortSignal): Promise<string>;
  pathOf(name: string): string;
  remove(name: string): Promise<void>;
  /** Removes all copies that are not in `names`, also the unfinished copies that a killed daemon left. */
  keepOnly(names: ReadonlySet<string>): void;
}

export interface MediaCopiesSettings {
  readonly folder: string;
  readonly web: WebSettings;
  /** The largest size of all copies together. */
  readonly largestBytes: number;
  readonly store: Pick<ImageStore, 'withRoom'>;
}

const SOURCE = 'image_url';
const MEBIBYTE = 1_048_576;
const MEASURE_BYTES = 64 * MEBIBYTE;
/** The formats of images that a machine can read: a BMC presents the bytes of an image as they are. */
const READABLE: ReadonlySet<string> = new Set(['raw', 'gpt', 'iso']);

export function createMediaCopies(settings: MediaCopiesSettings): MediaCopies {
  const { folder, store } = settings;
  // the name is stored with the node, and must not lead out of the folder
  const pathOf = (name: string) => path.join(folder, path.basename(name));
  return {
    async download(url, signal) {
      const reference = parseImageReference(url, SOURCE);
      if (reference.kind !== 'http')
        throw fault('InvalidParameter', { name: SOURCE, reason: 'expected an http or https URL' });
      const name = randomUUID();
      try {
        await store.withRoom(() => downloaded(settings, reference, pathOf(name), signal));
        return name;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Fault) throw error;
        throw fault('ImageUnusable', {
          image: `${SOURCE} = ${withoutLogin(reference.url)}`,
          reason: reasonOf(error),
        });
      }
    },
    pathOf,
    remove: (name) => rm(pathOf(name), { force: true }),
    keepOnly(names) {
      if (!existsSync(folder)) return;
      const others = readdirSync(folder).filter((name) => !names.has(name));
      for (const name of others) rmSync(pathOf(name), { force: true });
    },
  };
}

async function downloaded(
  { folder, web, largestBytes }: MediaCopiesSettings,
  { url, checksum }: ImageReference & { readonly kind: 'http' },
  to: string,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await using draft = await FileDraft.create(
    `${to}.draft`,
    checksum === undefined ? [] : [checksum.algorithm],
  );
  await download(web, { url, known: {}, draft: limited(draft, largestBytes), signal });
  if (checksum !== undefined && draft.digest(checksum.algorithm) !== checksum.value)
    throw new Error(
      `its ${checksum.algorithm} is ${draft.digest(checksum.algorithm)}, expected ${checksum.value}`,
    );
  await refuseUnreadable(draft.path);
  await draft.sync();
  await rename(draft.path, to);
}

/** The size of all files in the folder of `own`, except that file. */
async function bytesBeside(own: string): Promise<number> {
  const folder = path.dirname(own);
  const files = (await readdir(folder)).map((name) => path.join(folder, name)).filter((file) => file !== own);
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file)
        .then(({ size }) => size)
        .catch(() => 0),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns a destination that writes to `draft`, but refuses what would make all copies together larger than `largestBytes`. */
function limited(draft: FileDraft, largestBytes: number): Draft {
  // other copies may grow at the same time, so their size is measured again and again
  const interval = Math.min(largestBytes / 16, MEASURE_BYTES);
  let used = 0;
  let nextMeasure = 0;
  return {
    get bytes() {
      return draft.bytes;
    },
    async clear() {
      nextMeasure = 0;
      await draft.clear();
    },
    async write(piece) {
      if (draft.bytes >= nextMeasure) {
        used = await bytesBeside(draft.path);
        nextMeasure = draft.bytes + interval;
      }
      if (used + draft.bytes + piece.length > largestBytes)
        throw new Error(
          `with it, the copies for virtual media would take more than ${Math.floor(largestBytes / MEBIBYTE)} MiB; detach other images, raise [pxe] image_cache_size, or attach this image with image_download_source "http"`,
        );
      await draft.write(piece);
    },
  };
}

async function refuseUnreadable(file: string): Promise<void> {
  const { format } = await inspectImage(file);
  if (!READABLE.has(format))
    throw new Error(`its format is ${format}, which no machine reads as a drive; give an ISO or raw image`);
}

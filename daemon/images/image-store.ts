// Keeps local copies of images: each is downloaded once for any number of nodes, checked, and asked for again only when
// its server says that it has changed.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Logger } from '../lib/logger.ts';
import { fault, reasonOf } from '../model/faults.ts';
import { type Checksum, type ImageReference, parseImageReference } from './image-reference.ts';

export interface ImageStore {
  /**
   * Resolves to the absolute path of a regular file with the image's content, which stays as it is. Throws ImageUnusable,
   * or InvalidParameter for a wrong reference; `source` says where that is from: `driver_info/deploy_kernel`.
   */
  fetch(reference: string, source: string, signal: AbortSignal): Promise<string>;
}

/** What identifies a version of a file on its server; sent back to ask whether it has changed. */
export interface Version {
  readonly etag?: string;
  readonly lastModified?: string;
}

export type Download =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'downloaded'; readonly version: Version };

/** Passes the content of `url` to `write`, unless it still has the `known` version. Rejects when it is not complete. */
export type Downloader = (request: {
  readonly url: string;
  readonly known: Version;
  readonly write: (chunk: Uint8Array) => Promise<void>;
  readonly signal: AbortSignal;
}) => Promise<Download>;

interface Settings {
  /**
   * The daemon's own directory: copies are below `images`, and `agent-images` has what `ironic-edge agent-image` built. No
   * other file in it is ever an image: the database is there.
   */
  readonly stateDirectory: string;
  /** Images with `file:` URLs must be below one of these, or among the daemon's agent images. */
  readonly allowedRoots: readonly string[];
  readonly download: Downloader;
  readonly log: Logger;
  /** Ends downloads. A download serves any number of nodes, so the end of one node's work does not end it. */
  readonly stopping: AbortSignal;
}

/** Beside each copy: its version and checksum. */
interface Entry extends Version {
  readonly url: string;
  readonly sha256: string;
  readonly bytes: number;
}

const ENTRY = 'entry.json';

export function createImageStore(settings: Settings): ImageStore {
  const underWay = new Map<string, Promise<string>>();
  return {
    fetch(reference, source, signal) {
      const parsed = parseImageReference(reference, source);
      if (parsed.kind === 'file') return localFile(settings, parsed, source);
      const running =
        underWay.get(reference) ?? remoteFile(settings, parsed).finally(() => underWay.delete(reference));
      underWay.set(reference, running);
      return untilAborted(running, signal);
    },
  };
}

async function localFile(
  { allowedRoots, stateDirectory }: Settings,
  { path: named, checksum }: ImageReference & { readonly kind: 'file' },
  source: string,
): Promise<string> {
  const refuse = (reason: string) => fault('ImageUnusable', { image: `${source} = ${named}`, reason });
  const real = await realpath(named).catch((error: unknown) => {
    throw refuse(reasonOf(error));
  });
  const own = await isBelow(real, [path.join(stateDirectory, 'agent-images')]);
  if (!own && (await isBelow(real, [stateDirectory]))) throw refuse('it is one of the files of the daemon');
  if (!own && !(await isBelow(real, allowedRoots)))
    throw refuse(
      `it is not below a directory of [conductor] file_url_allowed_paths (${allowedRoots.join(', ') || 'none'})`,
    );
  // before anything is read: reading a device or a pipe may never end
  if (!(await stat(real)).isFile()) throw refuse('it is not a regular file');
  if (checksum !== undefined) refuseOtherChecksum(checksum, await digestOf(real, checksum.algorithm), refuse);
  return real;
}

/** `real` has no links. */
async function isBelow(real: string, directories: readonly string[]): Promise<boolean> {
  const roots = await Promise.all(directories.map((each) => realpath(each).catch(() => each)));
  return roots.some((root) => real.startsWith(root.endsWith('/') ? root : `${root}/`));
}

async function remoteFile(
  settings: Settings,
  { url, checksum }: ImageReference & { readonly kind: 'http' },
): Promise<string> {
  const place = path.join(settings.stateDirectory, 'images', keyOf(`${url}#${checksum?.value ?? ''}`));
  await mkdir(place, { recursive: true, mode: 0o755 });
  const known = await readEntry(place);
  const refuse = (reason: string) => fault('ImageUnusable', { image: withoutLogin(url), reason });
  try {
    const fresh = await downloaded(settings, { url, place, known, checksum, refuse });
    return fresh ?? contentOf(place, known as Entry);
  } catch (error) {
    settings.stopping.throwIfAborted();
    // a copy with the right checksum serves as well as the server; without a checksum, better than no boot at all
    if (
      known === undefined ||
      (checksum !== undefined && !(await matches(contentOf(place, known), checksum)))
    )
      throw error;
    settings.log.warn(
      { image: withoutLogin(url), reason: reasonOf(error) },
      'could not download an image; using its earlier copy',
    );
    return contentOf(place, known);
  }
}

interface Wanted {
  readonly url: string;
  readonly place: string;
  readonly known: Entry | undefined;
  readonly checksum: Checksum | undefined;
  readonly refuse: (reason: string) => Error;
}

/** Undefined when the known copy is still the newest. */
async function downloaded(
  { download, log, stopping: signal }: Settings,
  { url, place, known, checksum, refuse }: Wanted,
): Promise<string | undefined> {
  const draft = path.join(place, `draft-${randomUUID()}`);
  const file = await open(draft, 'wx', 0o644);
  const [sha256, sha512] = [createHash('sha256'), createHash('sha512')];
  let bytes = 0;
  try {
    const outcome = await download({
      url,
      known: known ?? {},
      signal,
      async write(chunk) {
        sha256.update(chunk);
        if (checksum?.algorithm === 'sha512') sha512.update(chunk);
        bytes += chunk.length;
        await file.write(chunk);
      },
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw refuse(reasonOf(error));
    });
    if (outcome.kind === 'unchanged') return undefined;
    const entry: Entry = { ...outcome.version, url: withoutLogin(url), sha256: sha256.digest('hex'), bytes };
    if (checksum !== undefined)
      refuseOtherChecksum(
        checksum,
        checksum.algorithm === 'sha256' ? entry.sha256 : sha512.digest('hex'),
        refuse,
      );
    await file.sync();
    await rename(draft, contentOf(place, entry));
    await writeEntry(place, entry);
    await removeOthers(place, [entry, ...(known === undefined ? [] : [known])]);
    log.info({ image: entry.url, bytes, sha256: entry.sha256 }, 'image downloaded');
    return contentOf(place, entry);
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}

const keyOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

const contentOf = (place: string, { sha256 }: Entry): string => path.join(place, sha256.slice(0, 32));

async function readEntry(place: string): Promise<Entry | undefined> {
  try {
    const entry = JSON.parse(await readFile(path.join(place, ENTRY), 'utf8')) as Entry;
    const { size } = await stat(contentOf(place, entry));
    return size === entry.bytes ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the entry as a whole, or not at all. */
async function writeEntry(place: string, entry: Entry): Promise<void> {
  const draft = path.join(place, `entry-${randomUUID()}`);
  await writeFile(draft, JSON.stringify(entry), { flush: true });
  await rename(draft, path.join(place, ENTRY));
}

/** The copy before the newest stays: machines that are booting may be reading it. */
async function removeOthers(place: string, kept: readonly Entry[]): Promise<void> {
  const names = new Set([ENTRY, ...kept.map((entry) => path.basename(contentOf(place, entry)))]);
  const others = (await readdir(place)).filter((name) => !names.has(name));
  await Promise.all(others.map((name) => rm(path.join(place, name), { force: true })));
}

async function digestOf(file: string, algorithm: Checksum['algorithm']): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

const matches = async (file: string, { algorithm, value }: Checksum) =>
  (await digestOf(file, algorithm)) === value;

function refuseOtherChecksum(expected: Checksum, actual: string, refuse: (reason: string) => Error): void {
  if (actual === expected.value) return;
  throw refuse(`its ${expected.algorithm} is ${actual}, expected ${expected.value}`);
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function withoutLogin(url: string): string {
  const shown = new URL(url);
  [shown.username, shown.password] = ['', ''];
  return shown.href;
}

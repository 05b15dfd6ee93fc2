// Keeps local copies of images. An image is downloaded once for any number of nodes. If the reference has a checksum, the copy is
// verified, and used as long as it is kept; otherwise, the image is downloaded again when its server says that it has changed.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isDiskFull } from '../lib/files/disk-room.ts';
import type { Logger } from '../lib/logger.ts';
import { refusedHost } from '../lib/network/address-rule.ts';
import { portOf } from '../lib/network/listed-host.ts';
import { RecentMap } from '../lib/limits/recent-map.ts';
import { fault, reasonOf } from '../model/faults.ts';
import type { Checksum } from '../model/machine/image-checksum.ts';
import type { FileDraft } from './cache/file-draft.ts';
import { type Copy, ImageCache } from './cache/image-cache.ts';
import { type CacheLimits, cachedPlaces, leaving, removePlaces } from './cache/make-room.ts';
import { download } from './sources/download.ts';
import { type ImageReference, parseImageReference, withoutLogin } from './sources/image-reference.ts';
import { digestOf } from './kept/digest-of.ts';
import { allowedFile, type FileRules, isKeptFile } from './sources/local-file.ts';
import { RULE_OPTION, type WebRequest, type WebSettings } from './sources/web-server.ts';

export interface ImageStore {
  /**
   * Resolves to the absolute path of a regular file with the image's content: a copy, which does not change, or the file of this
   * host that the reference names. Throws ImageUnusable, or InvalidParameter for a wrong reference. `source`: the setting or
   * field that contains the reference, such as `driver_info/deploy_kernel`.
   */
  fetch(reference: string, source: string, signal: AbortSignal): Promise<string>;
  /** Throws what `fetch` would throw for this reference, as far as that can be seen without a download. */
  check(reference: string, source: string): Promise<void>;
  /** Like `check`, for a reference that is already parsed. */
  checkReference(reference: ImageReference, source: string): Promise<void>;
  /** Like `fetch`, for a reference that is already parsed. Resolves also to the size and the SHA-256 of the content. */
  obtain(wanted: WantedImage, signal: AbortSignal): Promise<StoredImage>;
  /**
   * Resolves to a file that is derived from the content with this digest. Calls `write` to make the file, unless the cache has
   * it. `what` names the kind of file that `write` makes, and is part of the cache key. Rejects when `write` rejects.
   */
  derive(
    from: { readonly sha256: string; readonly what: string },
    write: (to: string, stopping: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<StoredImage>;
  /** Does `work`. If the disk is full, removes the copies that are not in use; if it removed any, does `work` once more. */
  withRoom<T>(work: () => Promise<T>): Promise<T>;
}

export interface WantedImage extends Pick<WebRequest, 'authorize'> {
  readonly reference: ImageReference;
  /** The setting or field that contains the reference: `instance_info/image_source`. */
  readonly source: string;
  /** Called while the image is downloaded, with the bytes so far and those of the whole image; null: the server does not say. */
  readonly onBytes?: (bytes: number, total: number | null) => void;
}

export interface StoredImage {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Whether only the daemon writes to the file. */
  readonly isOwn: boolean;
}

export interface StoreSettings extends FileRules {
  readonly web: WebSettings;
  readonly limits: CacheLimits;
  /** The paths of files that machines may be reading; they are not removed. */
  readonly served: () => ReadonlySet<string>;
  readonly log: Logger;
  /** Aborts downloads and conversions. They may serve several nodes, so they go on when the work of one node is aborted. */
  readonly stopping: AbortSignal;
}

export function createImageStore(settings: StoreSettings): ImageStore {
  const store = new Store(settings);
  const obtain: ImageStore['obtain'] = (wanted, signal) => untilAborted(store.obtain(wanted), signal);
  return {
    async fetch(text, source, signal) {
      const { path: file } = await obtain({ reference: parseImageReference(text, source), source }, signal);
      return file;
    },
    check: async (text, source) => store.check(parseImageReference(text, source), source),
    checkReference: (reference, source) => store.check(reference, source),
    obtain,
    derive: (from, write, signal) => untilAborted(store.derive(from, write), signal),
    withRoom: (work) => store.withRoom(work),
  };
}

type Remote = ImageReference & { readonly kind: 'http' };

class Store {
  readonly #settings: StoreSettings;
  readonly #cache: ImageCache;
  readonly #underWay = new Map<string, Promise<StoredImage>>();
  /** The SHA-256 of recently used local files, so that it is not computed again while a file is unchanged. */
  readonly #digests = new RecentMap<string, string>(1000);

  constructor(settings: StoreSettings) {
    this.#settings = settings;
    this.#cache = new ImageCache(path.join(settings.stateDirectory, 'images'));
  }

  async obtain(wanted: WantedImage): Promise<StoredImage> {
    const { reference } = wanted;
    if (reference.kind === 'file') return this.#local(reference, wanted.source);
    const key = `${reference.url}#${reference.checksum?.value ?? ''}`;
    return this.#once(key, () => this.#remote(key, { ...wanted, reference }));
  }

  derive(
    { sha256, what }: { readonly sha256: string; readonly what: string },
    write: (to: string, stopping: AbortSignal) => Promise<void>,
  ): Promise<StoredImage> {
    const key = `${what} ${sha256}`;
    return this.#once(key, async () => {
      const known = await this.#cache.find(key);
      if (known !== undefined) return known;
      return this.withRoom(async () => {
        await using draft = await this.#cache.draft(key);
        await write(draft.path, this.#settings.stopping);
        await draft.read();
        // the draft is removed when this block ends
        return await this.#keep(key, draft, { url: what });
      });
    }).then((copy) => this.#used(key, copy));
  }

  /** Runs `work`, unless work for the same key is under way; then resolves to the result of that work. */
  #once(key: string, work: () => Promise<StoredImage>): Promise<StoredImage> {
    const running = this.#underWay.get(key) ?? work().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, running);
    return running;
  }

  async check(reference: ImageReference, source: string): Promise<void> {
    if (reference.kind === 'file') return void (await this.#allowed(reference.path, source));
    const port = portOf(new URL(reference.url));
    const reason = refusedHost(reference.url, (address) => this.#settings.web.rule(address, port));
    if (reason !== undefined)
      throw fault('ImageUnusable', {
        image: withoutLogin(reference.url),
        reason: `${reason} (${RULE_OPTION})`,
      });
  }

  #allowed(named: string, source: string): Promise<string> {
    return allowedFile(named, this.#settings).catch((error: unknown) => {
      throw fault('ImageUnusable', { image: `${source} = ${named}`, reason: reasonOf(error) });
    });
  }

  async #local(
    { path: named, checksum }: ImageReference & { readonly kind: 'file' },
    source: string,
  ): Promise<StoredImage> {
    const refuse = (reason: string) => fault('ImageUnusable', { image: `${source} = ${named}`, reason });
    const file = await this.#allowed(named, source);
    if (checksum !== undefined && checksum.algorithm !== 'sha256')
      refuseOther(checksum, await digestOf(file, checksum.algorithm), refuse);
    const sha256 = await this.#sha256Of(file);
    if (checksum?.algorithm === 'sha256') refuseOther(checksum, sha256, refuse);
    const isOwn = await isKeptFile(file, this.#settings);
    return { path: file, bytes: (await stat(file)).size, sha256, isOwn };
  }

  async #sha256Of(file: string): Promise<string> {
    const { ino, size, mtimeNs } = await stat(file, { bigint: true });
    const key = [file, ino, size, mtimeNs].join(' ');
    const known = this.#digests.get(key) ?? (await digestOf(file, 'sha256'));
    this.#digests.set(key, known);
    return known;
  }

  async #remote(key: string, wanted: WantedImage & { readonly reference: Remote }): Promise<StoredImage> {
    const { reference } = wanted;
    const { log, stopping } = this.#settings;
    await this.check(reference, wanted.source);
    const known = await this.#cache.find(key);
    // the key contains the checksum, so this copy has been verified
    if (known !== undefined && reference.checksum !== undefined) return this.#used(key, known);
    const downloaded = this.withRoom(() => this.#downloaded(key, wanted, known));
    const copy = await downloaded.catch((error: unknown) => {
      stopping.throwIfAborted();
      const image = withoutLogin(reference.url);
      if (known === undefined) throw fault('ImageUnusable', { image, reason: reasonOf(error) });
      // an old copy is better than no boot at all
      log.warn({ image, reason: reasonOf(error) }, 'could not download an image; using its earlier copy');
      return known;
    });
    return this.#used(key, copy);
  }

  async #downloaded(
    key: string,
    { reference: { url, checksum }, authorize, onBytes }: WantedImage & { readonly reference: Remote },
    known: Copy | undefined,
  ): Promise<Copy> {
    const { web, stopping: signal } = this.#settings;
    await using draft = await this.#cache.draft(key, checksum === undefined ? [] : [checksum.algorithm]);
    draft.onBytes = onBytes;
    const outcome = await download(web, {
      url,
      ...(authorize && { authorize }),
      known: known ?? {},
      draft,
      signal,
    });
    if (outcome.kind === 'unchanged' && known !== undefined) return known;
    if (checksum !== undefined)
      refuseOther(checksum, draft.digest(checksum.algorithm), (reason) => new Error(reason));
    // the draft is removed when this block ends
    return await this.#keep(key, draft, {
      ...(outcome.kind === 'downloaded' && outcome.version),
      url: withoutLogin(url),
    });
  }

  async #keep(key: string, draft: FileDraft, origin: Parameters<ImageCache['keep']>[2]): Promise<Copy> {
    const { log } = this.#settings;
    const copy = await this.#cache.keep(key, draft, origin);
    log.info({ image: copy.url, bytes: copy.bytes, sha256: copy.sha256 }, 'image stored');
    return copy;
  }

  async #used<C extends StoredImage>(key: string, copy: C): Promise<C> {
    await this.#cache.touch(key, this.#settings.web.clock.now());
    await this.#trim(this.#settings.limits);
    return copy;
  }

  async withRoom<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isDiskFull(error) || (await this.#trim({ bytes: 0, milliseconds: 0 })) === 0) throw error;
      return await work();
    }
  }

  /** Returns how many copies were removed. */
  async #trim(limits: CacheLimits): Promise<number> {
    const { served, log, web } = this.#settings;
    const now = web.clock.now();
    const places = leaving(await cachedPlaces(this.#cache.directory, served(), now), limits, now);
    await removePlaces(places);
    if (places.length > 0) log.info({ copies: places.length }, 'copies of images removed from the cache');
    return places.length;
  }
}

/** Throws what `refuse` returns if the digests differ. */
export function refuseOther(expected: Checksum, actual: string, refuse: (reason: string) => Error): void {
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

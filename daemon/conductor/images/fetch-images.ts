// Fetches images of the catalogue in the background, verifies what is kept, and removes what nothing uses any more.
import { fault, reasonOf } from '../../model/faults.ts';
import { commandToGet, type Image, NOTHING_FETCHED, UPLOADED } from '../../model/instance/image.ts';
import type { FetchedImage } from '../../images/kept/fetch-image.ts';
import type { RunningFetch } from '../../images/kept/running-fetches.ts';
import { now } from '../../lib/clock.ts';
import type { NetworkBootServices } from '../boot/services.ts';
import { requestFor } from './catalogue.ts';

/**
 * Begins to fetch the image as its source and its checksum file are now. An image that is being fetched already is fetched once.
 * Throws ImageIsUploaded, NoFreeWorker or ShuttingDown.
 */
export function startFetch(services: NetworkBootServices, image: Image): void {
  const { db, workers } = services;
  const { fetches } = services.images;
  if (image.source === UPLOADED)
    throw fault('ImageIsUploaded', { image: image.name, command: commandToGet(image) });
  if (fetches.of(image.uuid) !== undefined) return;
  const leave = workers.enter('request');
  db.images.update(image.uuid, { state: 'fetching', error: null });
  const fetch = fetches.begin(image.uuid);
  void fetched(services, image, fetch)
    .catch((error: unknown) => services.log.error({ image: image.name, error }, 'an image was not fetched'))
    .finally(() => {
      fetches.end(image.uuid, fetch);
      leave();
    });
}

async function fetched(services: NetworkBootServices, image: Image, fetch: RunningFetch): Promise<void> {
  const { images, workers, stopping, log, db } = services;
  const signal = AbortSignal.any([fetch.cancel.signal, workers.closing, stopping]);
  const isKept = images.kept.urlOf(image.sha256) !== undefined;
  try {
    using found = await images.fetchForCatalogue(requestFor(services, image), {
      kept: isKept ? image.digest : null,
      signal,
      onBytes: (bytes, total) => fetch.tell({ bytes, total }),
    });
    if (signal.aborted) return;
    recordContent(services, image, found);
  } catch (error) {
    // the record of an interrupted fetch still says that it is being fetched: the next start continues
    if (signal.aborted) return;
    const reason = reasonOf(error);
    log.warn({ image: image.name, reason }, 'an image could not be fetched');
    const state = isKept ? ({ state: 'ready' } as const) : ({ ...NOTHING_FETCHED, state: 'failed' } as const);
    db.images.update(image.uuid, { ...state, error: reason });
  }
  await removeUnused(services);
}

/** `found`: undefined when what is kept is still the newest. */
export function recordContent(
  services: NetworkBootServices,
  image: Image,
  found: FetchedImage | undefined,
): void {
  const { db, log } = services;
  if (found === undefined) {
    db.images.update(image.uuid, { state: 'ready' });
    return;
  }
  const { digest, sha256, bytes, signedBy } = found;
  const signature = signedBy === null ? 'none' : `verified by ${signedBy}`;
  const isSame = sha256 === image.sha256;
  const fetched_at = isSame ? image.fetched_at : now(services);
  const content = { digest, signature, sha256, bytes, fetched_at };
  db.images.update(image.uuid, { ...content, state: 'ready', error: null });
  log.info({ image: image.name, sha256, bytes }, 'image kept');
}

/** Fetches again what an earlier process did not finish, and removes what nothing uses, now and later. Call it once, at the start. */
export function resumeFetches(services: NetworkBootServices): void {
  const { db, log, transitions } = services;
  for (const image of db.images.where({ sql: "state = 'fetching'", values: [] }))
    try {
      startFetch(services, image);
    } catch (error) {
      const reason = reasonOf(error);
      log.warn({ image: image.name, reason }, 'the fetch of an image could not be continued');
      db.images.update(image.uuid, { ...NOTHING_FETCHED, state: 'failed', error: reason });
    }
  const remove = () =>
    void removeUnused(services).catch((error: unknown) =>
      log.error({ error }, 'images that nothing uses could not be removed'),
    );
  remove();
  transitions.stored.add((node, from) => {
    const before = from.driver_internal_info.deployed_image?.sha256 ?? null;
    if (before !== null && before !== node.driver_internal_info.deployed_image?.sha256) remove();
  });
}

/** Removes the contents that neither the catalogue names nor an instance was deployed with. */
export const removeUnused = ({ db, images }: NetworkBootServices): Promise<void> =>
  images.kept.keepOnly(() => {
    const known = db.images.where({ sql: 'TRUE', values: [] });
    const contents = [
      ...known.map(({ sha256 }) => sha256),
      ...db.nodes.deployedImages().map(({ sha256 }) => sha256),
    ];
    return new Set(contents.filter((each) => each !== null));
  });

/** Call it when the record has been deleted, or has another source: a fetch that is under way ends. */
export async function forgetContent(services: NetworkBootServices, { uuid }: Image): Promise<void> {
  services.images.fetches.cancel(uuid);
  await removeUnused(services);
}

/**
 * Reads what the daemon keeps of the image. Resolves to the record: if the content is damaged, it is removed, and the state is
 * `failed`. Throws ImageNotKept.
 */
export async function verifyImage(services: NetworkBootServices, image: Image): Promise<void> {
  const { db, images, workers } = services;
  const { sha256, uuid, name, state } = image;
  if (sha256 === null || images.kept.urlOf(sha256) === undefined)
    throw fault('ImageNotKept', { image: name, state, command: commandToGet(image) });
  const leave = workers.enter('request');
  try {
    const found = await images.kept.digest(sha256);
    if (found === sha256) return;
    await images.kept.remove(sha256);
    const error = `the copy was damaged, and is removed: its sha256 was ${found}, expected ${sha256}; get the image again: ${commandToGet(image)}`;
    if (db.images.get(uuid)?.sha256 === sha256)
      db.images.update(uuid, { ...NOTHING_FETCHED, state: 'failed', error });
  } finally {
    leave();
  }
}

// The images of the daemon: those that machines boot, those that ramdisks write to disks, and those in virtual drives.
import path from 'node:path';
import { createImageStore, type ImageStore, type StoreSettings } from './image-store.ts';
import { type FetchedImage, type Fetching, fetchImage } from './kept/fetch-image.ts';
import { KeptImages } from './kept/kept-images.ts';
import { receiveImage, type Receiving, type ImageUpload } from './kept/receive-image.ts';
import { RunningFetches } from './kept/running-fetches.ts';
import { createMediaCopies, type MediaCopies } from './media-copies.ts';
import {
  checkImageRequest,
  type ImageRequest,
  type Preparation,
  prepareImage,
  type UsableImage,
} from './prepare-image.ts';
import type { ImageFieldNames } from './sources/expected-checksum.ts';

export interface SiteImages extends Pick<ImageStore, 'fetch' | 'check'> {
  /** Like `prepareImage`. */
  prepare(request: ImageRequest, signal: AbortSignal): Promise<UsableImage>;
  /** Like `checkImageRequest`. */
  checkRequest(request: ImageRequest, names?: ImageFieldNames): Promise<void>;
  /** Like `fetchImage`. */
  fetchForCatalogue(request: ImageRequest, fetching: Fetching): Promise<FetchedImage | undefined>;
  /** Like `receiveImage`. */
  receiveForCatalogue(upload: ImageUpload, receiving: Receiving): Promise<FetchedImage>;
  /** The fetched and uploaded images of the catalogue. */
  readonly kept: KeptImages;
  /** The fetches and uploads of images of the catalogue that are under way. */
  readonly fetches: RunningFetches;
  readonly media: MediaCopies;
}

export function createImages(
  settings: StoreSettings & { readonly preparation: Omit<Preparation, 'store' | 'web'> },
): SiteImages {
  const store = createImageStore(settings);
  const preparation = { ...settings.preparation, store, web: settings.web };
  const kept = new KeptImages(settings.stateDirectory, settings.served);
  return {
    kept,
    fetches: new RunningFetches(),
    fetchForCatalogue: (request, fetching) => fetchImage({ preparation, kept }, request, fetching),
    receiveForCatalogue: (upload, receiving) => receiveImage({ preparation, kept }, upload, receiving),
    fetch: (...given) => store.fetch(...given),
    check: (...given) => store.check(...given),
    checkRequest: (request, names) => checkImageRequest(preparation, request, names),
    prepare: (request, signal) => prepareImage(preparation, request, signal),
    media: createMediaCopies({
      folder: path.join(settings.stateDirectory, 'virtual-media'),
      web: settings.web,
      largestBytes: settings.limits.bytes,
      store,
    }),
  };
}

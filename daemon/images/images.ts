// The images of the daemon: those that machines boot, those that ramdisks write to disks, and those in virtual drives.
import path from 'node:path';
import { createImageStore, type ImageStore, type StoreSettings } from './image-store.ts';
import { createMediaCopies, type MediaCopies } from './media-copies.ts';
import { type ImageRequest, type Preparation, prepareImage, type UsableImage } from './prepare-image.ts';

export interface Images extends Pick<ImageStore, 'fetch'> {
  /** Like `prepareImage`. */
  prepare(request: ImageRequest, signal: AbortSignal): Promise<UsableImage>;
  readonly media: MediaCopies;
}

export function createImages(
  settings: StoreSettings & { readonly preparation: Omit<Preparation, 'store' | 'web'> },
): Images {
  const store = createImageStore(settings);
  const preparation = { ...settings.preparation, store, web: settings.web };
  return {
    fetch: (...given) => store.fetch(...given),
    prepare: (request, signal) => prepareImage(preparation, request, signal),
    media: createMediaCopies({
      folder: path.join(settings.stateDirectory, 'virtual-media'),
      web: settings.web,
      largestBytes: settings.limits.bytes,
      store,
    }),
  };
}

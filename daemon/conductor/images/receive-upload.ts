// Uploads of images of the catalogue. Until an upload is complete and verified, no record says anything of it.
import type { ImageUpload } from '../../images/kept/receive-image.ts';
import { imageLimits } from '../../images/limits.ts';
import { DiskFull } from '../../lib/files/disk-room.ts';
import { fault } from '../../model/faults.ts';
import { type Image, UPLOADED } from '../../model/instance/image.ts';
import { maskSecrets } from '../../model/secrets.ts';
import type { NetworkBootServices } from '../boot/services.ts';
import { recordContent, removeUnused } from './fetch-images.ts';

/** The largest upload. */
export const UPLOAD_LIMIT = { kibibytes: imageLimits.imageBytes / 1024, option: 'the limit for images' };

/**
 * Makes the uploaded content that of the image; machines that run the earlier one keep it for rebuilds. Throws ImageHasSource,
 * UploadUnderWay, UploadUnusable, InvalidParameter, NoRoomForUpload, ImageChanged, NoFreeWorker or ShuttingDown.
 */
export async function receiveUpload(
  services: NetworkBootServices,
  image: Image,
  upload: Omit<ImageUpload, 'image'>,
): Promise<void> {
  const { images, workers, stopping } = services;
  const { uuid, name, source } = image;
  if (source !== UPLOADED) throw fault('ImageHasSource', { image: name, source: maskSecrets(source) });
  if (images.fetches.of(uuid) !== undefined) throw fault('UploadUnderWay', { image: name });
  const leave = workers.enter('request');
  const running = images.fetches.begin(uuid);
  const signal = AbortSignal.any([running.cancel.signal, workers.closing, stopping]);
  try {
    using found = await images.receiveForCatalogue(
      { ...upload, image: name },
      { signal, onBytes: (bytes, total) => running.tell({ bytes, total }) },
    );
    signal.throwIfAborted();
    recordContent(services, image, found);
  } catch (error) {
    if (error instanceof DiskFull) throw fault('NoRoomForUpload', { image: name, reason: error.message });
    throw error;
  } finally {
    images.fetches.end(uuid, running);
    leave();
  }
  await removeUnused(services);
}

// When the daemon starts, serves again the images for disks, the copies for virtual drives and the files of steps, and continues to
// fetch images of the catalogue.
import { resumeFetches } from './fetch-images.ts';
import { serveMediaImages } from './media-images.ts';
import { serveNodeFiles } from './node-files.ts';
import type { NetworkBootServices } from '../boot/services.ts';

/** Call it once, at the start. */
export function serveImages(services: NetworkBootServices): void {
  serveMediaImages(services);
  serveNodeFiles(services);
  resumeFetches(services);
}

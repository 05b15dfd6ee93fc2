// When the daemon starts, serves again the images for disks, the copies for virtual drives and the files of steps.
import type { Services } from '../services.ts';
import { serveInstanceImages } from './instance-image.ts';
import { serveMediaImages } from './media-images.ts';
import { serveStepFiles } from './step-file.ts';

/** Call it once, at the start. */
export function serveImages(services: Services): void {
  serveInstanceImages(services);
  serveMediaImages(services);
  serveStepFiles(services);
}

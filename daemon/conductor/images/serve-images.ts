// Serves again, when the daemon starts, the images and files that it served when it stopped.
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

// Builds images and lets machines boot the new one: the first of a directory, and those with the updates of Debian.
import {
  allArchitectures,
  type BuildOptions,
  type FoundImage,
  imagesIn,
  usedImage,
  useImage,
} from './agent-images.ts';
import {
  type BuildProgress,
  type BuildRequest,
  makeAgentImage,
  recipeOf,
  removeImage,
} from './build/build-agent-image.ts';
import { onlyOne } from '../../lib/limits/only-one.ts';

/** Only one process changes what is in the directory. */
export const lockImages = (directory: string): Promise<Disposable> =>
  onlyOne(
    `agent images in ${directory}`,
    `Another "ironic-edge agent-image" changes the images in ${directory}. Wait until it has ended.`,
  );

/**
 * Builds an image, unless there is one with these options, and lets machines boot it. An image that was there already is used only
 * if machines of its architecture have none to boot.
 */
export async function buildAgentImage(request: BuildRequest, progress: BuildProgress): Promise<FoundImage> {
  const { directory, architecture } = request;
  using _ = await lockImages(directory);
  const recipe = recipeOf();
  const present = imagesIn(directory).find(
    ({ image }) => image.recipe === recipe && optionsText(image) === optionsText(request),
  );
  if (present === undefined) return newImage(request, progress, makeAgentImage);
  const { folder, image } = present;
  progress.say(
    `${folder}: built on ${image.built}, agent ${image.agent}; "ironic-edge agent-image update" builds a new one`,
  );
  if (usedImage(directory, architecture) === undefined) await useImage(directory, present);
  return present;
}

const optionsText = ({ suite, architecture, mirror }: BuildOptions): string =>
  JSON.stringify([suite, architecture, mirror]);

export interface ImageUpdate {
  readonly directory: string;
  readonly progress: BuildProgress;
  /** Whether something else than the link names this image, such as the configuration or what a machine boots now. */
  readonly isNamed: (name: string) => boolean;
  readonly make: typeof makeAgentImage;
}

export interface Updated {
  readonly image: FoundImage;
  /** What machines booted before. */
  readonly before: FoundImage;
}

/**
 * For each architecture, builds the image that machines boot once more, with the same options, and lets machines boot the new one.
 * Removes older images, except the one that machines booted before and those that are named. Rejects when a build fails; machines
 * then go on booting the present image.
 */
export async function updateAgentImages(update: ImageUpdate): Promise<readonly Updated[]> {
  const { directory, progress, make } = update;
  using _ = await lockImages(directory);
  const present = allArchitectures.flatMap((architecture) => bootedImage(directory, architecture) ?? []);
  if (present.length === 0)
    throw new Error(`${directory} holds no image: run "ironic-edge agent-image build" first`);
  const updated: Updated[] = [];
  for (const before of present) {
    const { suite, architecture, mirror } = before.image;
    const image = await newImage({ directory, suite, architecture, mirror }, progress, make);
    updated.push({ image, before });
    removeOld(update, image, before);
  }
  return updated;
}

/** The image that the link leads to; where no link is yet, the newest image. */
export const bootedImage = (
  directory: string,
  architecture: BuildOptions['architecture'],
): FoundImage | undefined =>
  usedImage(directory, architecture) ??
  imagesIn(directory).find(({ image }) => image.architecture === architecture);

async function newImage(
  request: BuildRequest,
  progress: BuildProgress,
  make: ImageUpdate['make'],
): Promise<FoundImage> {
  const { directory } = request;
  const name = await make(request, progress);
  const image = imagesIn(directory).find((found) => found.name === name);
  if (image === undefined) throw new Error(`${directory}/${name} was deleted after it was built`);
  await useImage(directory, image);
  return image;
}

function removeOld(
  { directory, progress, isNamed }: ImageUpdate,
  { image: { architecture }, name: newest }: FoundImage,
  before: FoundImage,
): void {
  const old = imagesIn(directory).filter(
    ({ name, image }) =>
      image.architecture === architecture && ![newest, before.name].includes(name) && !isNamed(name),
  );
  for (const { name } of old) {
    removeImage(directory, name);
    progress.say(`${name}: removed; ${before.name} stays to go back to`);
  }
}

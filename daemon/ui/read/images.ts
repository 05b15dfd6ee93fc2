// Reads the images of the catalogue: what each is, how far its fetch has come, and who uses it.
import type { Services } from '../../conductor/services.ts';
import { nameHint } from '../../conductor/images/catalogue.ts';
import { fault } from '../../model/faults.ts';
import { type Image, UPLOADED } from '../../model/instance/image.ts';
import { maskSecrets } from '../../model/secrets.ts';

export interface ImageShown {
  readonly image: Image;
  /** The source without a login in it; undefined for an image that is uploaded. */
  readonly source: string | undefined;
  /** Without a login in it. */
  readonly checksum: string | null;
  /** The names of the nodes whose disks have the image, or their UUIDs. */
  readonly runsOn: readonly string[];
  /** Of a fetch or an upload that is under way. `total`: null if it is not known. */
  readonly progress: { readonly bytes: number; readonly total: number | null } | undefined;
}

export interface ImageFacts extends ImageShown {
  /** Nodes that name the image in their instance_info, and profiles that name it: `node web-1`, `profile web`. */
  readonly namedBy: readonly string[];
}

export interface ImagesShown {
  readonly images: readonly ImageShown[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

const ALL = { limit: 1000, sortKey: 'name', descending: false } as const;

export function readImages(services: Services): ImagesShown {
  const { db, clock } = services;
  const users = usersByImage(services);
  const images = db.images.list(db.images.columns, [], ALL);
  return { images: images.map((image) => shown(services, image, users)), now: clock.now() };
}

/** By UUID or name. Throws ImageNotFound. */
export function readImage(services: Services, identifier: string): ImageFacts & { readonly now: number } {
  const { db, clock } = services;
  const image = db.images.get(identifier) ?? db.images.findBy('name', identifier);
  if (image === undefined)
    throw fault('ImageNotFound', {
      image: identifier.slice(0, 255),
      hint: nameHint(db.images, 'image', identifier),
    });
  const profiles = db.profiles.where({ sql: 'image = ?', values: [image.name] });
  return {
    ...shown(services, image, usersByImage(services)),
    namedBy: [
      ...db.nodes.withImage(image.name).map(({ name, uuid }) => `node ${name ?? uuid}`),
      ...profiles.map(({ name }) => `profile ${name}`),
    ],
    now: clock.now(),
  };
}

type Users = ReadonlyMap<string, readonly string[]>;

const usersByImage = ({ db }: Services): Users =>
  new Map(
    [...Map.groupBy(db.nodes.deployedImages(), ({ image }) => image)].map(([image, nodes]) => [
      image,
      nodes.map(({ node }) => node),
    ]),
  );

const shown = ({ images }: Services, image: Image, users: Users): ImageShown => ({
  image,
  source: image.source === UPLOADED ? undefined : maskSecrets(image.source),
  checksum: image.checksum === null ? null : maskSecrets(image.checksum),
  runsOn: users.get(image.name) ?? [],
  progress: images.fetches.of(image.uuid)?.progress,
});

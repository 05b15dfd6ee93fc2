// /v1/images: the catalogue of images, whose names nodes may have in `instance_info/image_source`.
import { checkCatalogueImage, refuseNamedImage } from '../../conductor/images/catalogue.ts';
import {
  changeSimpleRecord,
  createSimpleRecord,
  type SimpleKind,
} from '../../conductor/records/simple-records.ts';
import { type Image, imageFields, imageSummary, NOTHING_FETCHED } from '../../model/instance/image.ts';
import { maskSecrets } from '../../model/secrets.ts';
import { createBodies } from '../../http/bodies/bodies.ts';
import { withCheckedName } from '../bodies/named-record.ts';
import { type Resource, resourceRoutes } from '../../http/resource.ts';
import type { Route } from '../../http/route.ts';
import { draftRecord } from '../../conductor/records/new-record.ts';
import { forgetContent } from '../../conductor/images/fetch-images.ts';
import type { Services } from '../../conductor/services.ts';
import { findImage } from '../resource-identifiers.ts';
import { contentRoutes } from './image-content.ts';

const kind: SimpleKind<Image> = {
  resource: 'image',
  fields: imageFields,
  table: (services) => services.db.images,
};

const bodies = createBodies<Image>({
  resource: kind.resource,
  fields: imageFields,
  required: ['name', 'source'],
  unremovable: ['name', 'source'],
  normalise(given) {
    const { source } = given;
    return {
      ...withCheckedName(kind.resource, given),
      ...(source !== undefined && { source: source.trim() }),
      ...trimmed(given, ['checksum', 'signing_key', 'signature_url']),
    };
  },
});

/** Returns those of the fields that are texts, without space around them; null for an empty one. */
function trimmed(
  given: Partial<Image>,
  fields: readonly ('checksum' | 'signing_key' | 'signature_url')[],
): Partial<Image> {
  const texts = fields.flatMap((field) => {
    const text = given[field];
    return typeof text === 'string' ? [[field, text.trim() || null] as const] : [];
  });
  return Object.fromEntries(texts);
}

const images: Resource<Image> = {
  title: 'Image',
  path: 'images',
  key: 'images',
  since: 1,
  namedIn: ({ db }) => db.images,
  detailByArgument: true,
  fields: imageFields,
  summary: imageSummary,
  filters: {},
  // a URL may contain a login
  shown: {
    source: ({ source }) => maskSecrets(source),
    checksum: ({ checksum }) => maskSecrets(checksum),
    signature_url: ({ signature_url: url }) => maskSecrets(url),
  },
  list({ services }, names, paging) {
    const records = services.db.images.list([...new Set([...names, 'name' as const])], [], paging);
    return withUsers(services, records);
  },
  find: ({ services }, identifier) => withUsers(services, [findImage(services, identifier)])[0] as Image,
  async create({ services, body, minor }) {
    const given = bodies.fromPost(body, minor);
    await checkCatalogueImage(services, draftRecord<Image>(imageFields, given));
    return { ...createSimpleRecord(services, kind, given), used_by: [] };
  },
  bodies,
  async change({ services }, record, changesOf) {
    await checkCatalogueImage(services, { ...record, ...changesOf(record) });
    const stored = findImage(services, record.uuid);
    const changes = changesOf(stored);
    if (changes.name !== undefined) refuseNamedImage(services, stored, 'get another name');
    const isOther = CONTENT.some((name) => changes[name] !== undefined);
    const changed = changeSimpleRecord(services, kind, stored, {
      ...changes,
      ...(isOther && NOTHING_FETCHED),
    });
    if (isOther) await forgetContent(services, stored);
    return { ...changed, used_by: record.used_by };
  },
  removal: { force: { kind: 'flag' } },
  async remove({ services, query }, image) {
    if (query['force'] !== true) refuseNamedImage(services, image, 'be deleted');
    services.db.images.remove(image.uuid);
    await forgetContent(services, image);
  },
};

/** The fields that decide which content is fetched. */
const CONTENT = ['source', 'checksum', 'architecture', 'signing_key', 'signature_url'] as const;

/** Returns the images with the nodes that run each. */
function withUsers(services: Services, records: readonly Image[]): readonly Image[] {
  const users = Map.groupBy(services.db.nodes.deployedImages(), ({ image }) => image);
  return records.map((image) => ({
    ...image,
    used_by: users.get(image.name)?.map(({ node }) => node) ?? [],
  }));
}

export const imageRoutes: readonly Route[] = [...resourceRoutes(images), ...contentRoutes(images)];

// The catalogue of images: what its records may contain, and which of them fit a node.
import { nearestName } from '../../config/nearest-name.ts';
import type { Table } from '../../db/tables/table.ts';
import { type Image, isImageName, UPLOADED } from '../../model/instance/image.ts';
import { Fault, fault } from '../../model/faults.ts';
import type { ImageRequest } from '../../images/prepare-image.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Node } from '../../model/records/node.ts';
import { absence, imageNameOf } from '../tasks/named-image.ts';
import type { NetworkBootServices } from '../boot/services.ts';
import { namedNodes } from '../limits.ts';

/**
 * Throws what a deployment of the image would throw, as far as that can be seen without a download: InvalidParameter. The
 * checksum may be left out for a file of this host and for an image of a registry.
 */
export async function checkCatalogueImage(services: NetworkBootServices, image: Image): Promise<void> {
  const { source } = image;
  if (image.signing_key === null && image.signature_url !== null)
    throw fault('InvalidParameter', { name: 'signature_url', reason: 'it is of no use without signing_key' });
  if (source === UPLOADED) return refuseOfSource(image);
  if (URL.parse(source)?.pathname.endsWith('/') === true)
    throw fault('InvalidParameter', {
      name: 'source',
      reason: `${JSON.stringify(source.slice(0, 200))} ends in a slash; expected the URL of an image`,
    });
  try {
    await services.images.checkRequest(requestFor(services, image), {
      source: 'source',
      checksum: 'checksum',
    });
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'ImageUnusable') throw error;
    throw fault('InvalidParameter', { name: 'source or checksum', reason: error.message });
  }
}

/** An uploaded image has nothing of what verifies a source. */
function refuseOfSource({ checksum, signing_key: key }: Image): void {
  if (checksum !== null)
    throw fault('InvalidParameter', {
      name: 'checksum',
      reason: 'an image that is uploaded has none in its record; give it with each upload',
    });
  if (key !== null)
    throw fault('InvalidParameter', {
      name: 'signing_key',
      reason: 'an image that is uploaded has no checksum file that could be signed',
    });
}

/** The request for the image itself, as its publisher has it: no node changes it. */
export function requestFor(
  { sections }: Pick<NetworkBootServices, 'sections'>,
  { source, checksum, architecture, signing_key: keys, signature_url: signature }: Image,
): ImageRequest {
  // the options are those of the agent's plugin, which has checked them
  const options = sections['deploy'] ?? {};
  const { image_server_user: user, image_server_password: password, image_server_hosts: hosts } = options;
  const hasLogin = options['image_server_auth_strategy'] === 'http_basic';
  const login = hasLogin ? ({ user, password, hosts } as ImageRequest['login']) : null;
  return {
    source,
    checksum,
    ...(keys !== null && { signing: { keys, signature } }),
    format: null,
    type: 'whole-disk',
    login,
    isStreamed: true,
    architecture: architecture ?? 'x86_64',
    pullSecret: null,
  };
}

/**
 * Throws ImageInUse when a node runs the image or names it in its instance_info, or a profile names it. `change`: what is refused,
 * such as `be deleted`.
 */
export function refuseNamedImage({ db }: NetworkBootServices, { name }: Image, change: string): void {
  const users = [
    ...db.nodes.withImage(name).map((node) => `node ${node.name ?? node.uuid}`),
    ...db.profiles.where({ sql: 'image = ?', values: [name] }).map((profile) => `profile ${profile.name}`),
  ];
  if (users.length === 0) return;
  const others = users.length - namedNodes.inError;
  throw fault('ImageInUse', {
    image: name,
    change,
    users: `${users.slice(0, namedNodes.inError).join(', ')}${others > 0 ? ` and ${others} more` : ''}`,
  });
}

/**
 * Throws InvalidParameter if `image_source` names an image that the catalogue lacks, or one that does not fit the node's
 * `local_gb` or `cpu_arch`, or whose content the node cannot get.
 */
export function checkNamedImage(services: NetworkBootServices, node: Node): void {
  const name = imageNameOf(node.instance_info);
  if (name === undefined) return;
  const place = 'instance_info/image_source';
  const image = refuseUnknownImage(services.db, name, place);
  const reason = image && (misfit(image, node.properties) ?? absence(services, node));
  if (reason !== undefined) throw fault('InvalidParameter', { name: place, reason });
}

/** Returns the image of the catalogue; undefined for a URL. Throws InvalidParameter for a name that the catalogue lacks. */
export function refuseUnknownImage(
  db: NetworkBootServices['db'],
  source: string,
  place: string,
): Image | undefined {
  if (!isImageName(source)) return undefined;
  const image = db.images.findBy('name', source);
  if (image === undefined) throw fault('InvalidParameter', { name: place, reason: unknownName(db, source) });
  return image;
}

/** What to do about a name that no record of the table has. `command`: the word for the kind of record in commands. */
export function nameHint<R extends { readonly uuid: string; readonly name: string }>(
  table: Pick<Table<R>, 'where'>,
  command: 'image' | 'profile' | 'class',
  name: string,
): string {
  const known = table.where({ sql: 'TRUE', values: [] }).map((record) => record.name);
  const near = nearestName(name, known);
  return near === undefined
    ? `"ironic-edge ${command} list" lists those that there are.`
    : `did you mean ${near}?`;
}

const unknownName = (db: NetworkBootServices['db'], name: string): string =>
  `the catalogue has no image ${JSON.stringify(name.slice(0, 255))}; give the http, https, file or oci URL of an image, or the name of one in the catalogue: ${nameHint(db.images, 'image', name)}`;

function misfit(
  { name, min_disk_gib: needed, architecture }: Image,
  properties: JsonObject,
): string | undefined {
  const { local_gb: disk, cpu_arch: machine } = properties;
  const gibibytes = disk === undefined || disk === null || disk === '' ? NaN : Number(disk);
  if (needed !== null && gibibytes < needed)
    return `image ${name} needs a disk of ${needed} GiB, and properties/local_gb of the node is ${gibibytes}`;
  if (architecture !== null && typeof machine === 'string' && machine !== '' && machine !== architecture)
    return `image ${name} is for ${architecture}, and properties/cpu_arch of the node is ${machine}`;
  return undefined;
}

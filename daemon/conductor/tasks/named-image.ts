// The image of the catalogue that a node's instance_info names, and which content of it the node gets.
import {
  checksumOfSource,
  commandToGet,
  type Image,
  isImageName,
  UPLOADED,
} from '../../model/instance/image.ts';
import type { DeployedImage } from '../../model/internal-info.ts';
import type { JsonObject } from '../../model/json.ts';
import { AUTODETECT, detectedDeployInterface } from '../../model/machine/deploy-detection.ts';
import { parseChecksum } from '../../model/machine/image-checksum.ts';
import type { Node, NodeChanges } from '../../model/records/node.ts';
import { maskSecrets } from '../../model/secrets.ts';
import { now } from '../../lib/clock.ts';
import type { TaskServices } from './services.ts';

/** Returns the name of an image of the catalogue in instance_info; undefined if it has none, or a URL. */
export function imageNameOf({ image_source: source }: JsonObject): string | undefined {
  return typeof source === 'string' && source !== '' && isImageName(source) ? source : undefined;
}

interface Content {
  /** undefined: the catalogue has no image of this name. */
  readonly image: Image | undefined;
  /** The checksum in instance_info; undefined if there is none. */
  readonly own: string | undefined;
  /** null: not known before a download. */
  readonly sha256: string | null;
}

/**
 * A checksum in instance_info chooses the content. Otherwise, it is what the instance was deployed with, as long as there is an
 * instance, and then what was fetched last.
 */
function contentFor({ db }: Pick<TaskServices, 'db'>, node: Node): Content {
  const name = imageNameOf(node.instance_info);
  const image = name === undefined ? undefined : db.images.findBy('name', name);
  const own = ownChecksum(node.instance_info);
  if (own !== undefined) return { image, own, sha256: sha256In(own) };
  const { deployed_image: deployed } = node.driver_internal_info;
  const before = name !== undefined && deployed?.image === name ? deployed.sha256 : null;
  return { image, own, sha256: before ?? image?.sha256 ?? null };
}

/** In the order of precedence. */
function ownChecksum({
  image_os_hash_value: value,
  image_os_hash_algo: algorithm,
  image_checksum: checksum,
}: JsonObject): string | undefined {
  if (typeof value === 'string' && value !== '')
    return typeof algorithm === 'string' ? `${algorithm}:${value}` : value;
  return typeof checksum === 'string' && checksum !== '' ? checksum : undefined;
}

function sha256In(checksum: string): string | null {
  const found = parseChecksum(checksum.trim());
  return found?.algorithm === 'sha256' ? found.value : null;
}

/**
 * Returns the node as drivers see it: if its `image_source` names an image of the catalogue, with the source and the checksum
 * of that image. If the daemon keeps the content, and can serve it, the source is the file with it. Any other node is returned as
 * it is.
 */
export function withCatalogueImage(
  services: Pick<TaskServices, 'db' | 'images' | 'networkBoots'>,
  node: Node,
): Node {
  const { image, own, sha256 } = contentFor(services, node);
  if (image === undefined) return node;
  const kept = keptUrl(services, node, sha256);
  const checksum = kept === undefined ? checksumOfSource(image) : `sha256:${sha256}`;
  return {
    ...node,
    instance_info: {
      ...(own === undefined && checksum !== null && { image_checksum: checksum }),
      ...node.instance_info,
      image_source: kept ?? image.source,
    },
  };
}

/** Returns the URL of the kept content if the node gets that; undefined if it gets the image from its source. */
function keptUrl(
  { networkBoots, images }: Pick<TaskServices, 'images' | 'networkBoots'>,
  node: Node,
  sha256: string | null,
): string | undefined {
  return networkBoots.httpUrl === undefined || needsSource(node) ? undefined : images.kept.urlOf(sha256);
}

/** Returns why the node cannot get the content of the image that it names; undefined if nothing is known against it. */
export function absence(
  services: Pick<TaskServices, 'db' | 'images' | 'networkBoots'>,
  node: Node,
): string | undefined {
  const { image, own, sha256 } = contentFor(services, node);
  if (image === undefined || keptUrl(services, node, sha256) !== undefined) return undefined;
  if (image.source !== UPLOADED)
    return own === undefined && image.signing_key !== null && image.digest === null
      ? `image ${image.name} is signed, and nothing of it is verified yet; fetch it: ${commandToGet(image)}`
      : undefined;
  return services.images.kept.urlOf(sha256) === undefined
    ? `image ${image.name} has no content yet, or not the one that is asked for; upload it: ${commandToGet(image)}`
    : `image ${image.name} is uploaded, so that only the daemon has it, and it cannot serve it to this machine: set [boot_http] port, and a deploy interface other than ${NEED_SOURCE.join(', ')}`;
}

/** Deploy interfaces whose machines download from the source itself. */
const NEED_SOURCE = ['anaconda', 'bootc', 'ansible'] as const;

function needsSource(node: Node): boolean {
  const { deploy_interface: name } = node;
  const used = name === AUTODETECT ? detectedDeployInterface([...NEED_SOURCE, 'direct'], node) : name;
  return NEED_SOURCE.some((each) => each === used);
}

/**
 * Returns what a deployment that begins now records of its image; null if the node has none. A new deployment does not keep to what
 * an earlier one has recorded.
 */
export function imageToDeploy(services: TaskServices, node: Node, isRebuild: boolean): DeployedImage | null {
  const { image_source: source } = node.instance_info;
  if (typeof source !== 'string' || source === '') return null;
  const { deployed_image: _deployed, ...rest } = node.driver_internal_info;
  const content = contentFor(services, isRebuild ? node : { ...node, driver_internal_info: rest });
  const kept = keptUrl(services, node, content.sha256) === undefined ? null : content.sha256;
  const { own, image } = content;
  const sha256 = kept ?? sha256In(own ?? (image && checksumOfSource(image)) ?? '');
  return { image: imageNameOf(node.instance_info) ?? maskSecrets(source), sha256, at: now(services) };
}

/** Returns a driver's changes with the name of the image in place of what `withCatalogueImage` has put there. */
export function withImageName(node: Node, seen: Node, changes: NodeChanges): NodeChanges {
  const { instance_info: changed } = changes;
  if (node === seen || changed === undefined) return changes;
  const restored: Record<string, (typeof changed)[string]> = { ...changed };
  for (const key of ['image_source', 'image_checksum']) {
    if (changed[key] !== seen.instance_info[key]) continue;
    const stored = node.instance_info[key];
    if (stored === undefined) delete restored[key];
    else restored[key] = stored;
  }
  return { ...changes, instance_info: restored };
}

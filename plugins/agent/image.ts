// Turns the image description in `instance_info` into the agent's `image_info`, for a deployment.
import {
  fault,
  type InstanceImage,
  isListedHost,
  type Json,
  type JsonObject,
  parseChecksum,
  type Task,
} from '#plugin-api';
import { checksumFor, deliveredBy, loginFor, pullSecretFor, sourceOf } from './image-source.ts';
import { agentOptions } from './options.ts';
import { partitionsOf, preservesEphemeral } from './partitions.ts';
import { wrongInstanceInfo } from './wrong-instance-info.ts';

/**
 * Returns `image_type`. Not set: `partition` if `kernel` or `ramdisk` is set, else `whole-disk`. A `partition` image contains a
 * file system; the agent then creates the partition table. Throws InvalidParameter.
 */
export function imageTypeOf({ node: { instance_info: image } }: Task): 'whole-disk' | 'partition' {
  const type = image['image_type'] ?? (image['kernel'] || image['ramdisk'] ? 'partition' : 'whole-disk');
  if (type === 'whole-disk' || type === 'partition') return type;
  throw wrongInstanceInfo('image_type', `${JSON.stringify(type)}; expected whole-disk or partition`);
}

/**
 * Throws what `prepareImage` and `imageFor` would throw, as far as that can be seen without a download: InvalidParameter, or
 * ImageUnusable.
 */
export async function checkAgentImage(task: Task): Promise<void> {
  const image = requestOf(task);
  layoutOf(task);
  const isServed = deliveredBy(task) === 'daemon';
  if (isServed && task.boot.obstacle !== null)
    throw wrongInstanceInfo(
      'image_source',
      `the daemon must serve this image to the machine, but ${task.boot.obstacle}`,
    );
  if (isServed || isInspected(task)) await task.images.check(image);
}

const isInspected = ({ configuration }: Task): boolean =>
  configuration['conductor']?.['conductor_always_validates_images'] === true;

const requestOf = (task: Task): InstanceImage => ({
  source: sourceOf(task).href,
  checksum: checksumFor(task),
  format: formatOf(task),
  type: imageTypeOf(task),
  login: loginFor(task),
  isStreamed: agentOptions(task).stream_raw_images,
  architecture: architectureOf(task),
  pullSecret: pullSecretFor(task),
});

/**
 * If the daemon delivers the image itself, downloads and serves it. Any other image is checked, and its format recorded in
 * `instance_info/image_disk_format`, only if [conductor] conductor_always_validates_images is true.
 */
export async function prepareAgentImage(task: Task): Promise<void> {
  const image = requestOf(task);
  if (deliveredBy(task) === 'daemon') {
    await task.images.prepare(image);
  } else if (isInspected(task)) {
    const image_disk_format = await task.images.inspect(image);
    await task.update({ instance_info: { ...task.node.instance_info, image_disk_format } });
  }
}

/**
 * Returns the agent's `image_info`. Throws InvalidParameter, or ImageUnusable when the daemon has not prepared an image that
 * it must serve.
 */
export function imageFor(task: Task): JsonObject {
  const { node } = task;
  return {
    id: sourceOf(task).pathname.split('/').at(-1) ?? '',
    container_format: node.instance_info['image_container_format'] ?? null,
    stream_raw_images: agentOptions(task).stream_raw_images,
    node_uuid: node.uuid,
    ...(deliveredBy(task) === 'daemon' ? servedBy(task) : foundAtSource(task)),
    ...layoutOf(task),
  };
}

function servedBy({ images: { prepared }, node }: Task): JsonObject {
  if (prepared === null)
    throw fault('ImageUnusable', {
      image: `of node ${node.uuid}`,
      reason: 'the daemon has not prepared it for this deployment; deploy the node again',
    });
  const { url, sha256, format } = prepared;
  return { urls: [url], disk_format: format, os_hash_algo: 'sha256', os_hash_value: sha256 };
}

function foundAtSource(task: Task): JsonObject {
  const { href } = sourceOf(task);
  const checksum = checksumFor(task) ?? '';
  return {
    urls: [href],
    disk_format: formatOf(task),
    ...digestFields(checksum),
    ...agentLogin(task, [href, checksum]),
    ...proxiesOf(task.node.driver_info),
  };
}

function architectureOf({ node: { properties } }: Task): string {
  const { cpu_arch: architecture } = properties;
  return isText(architecture) ? architecture : 'x86_64';
}

function formatOf({ node: { instance_info: instance } }: Task): string | null {
  const format = instance['image_disk_format'] ?? null;
  if (format === null || typeof format === 'string') return format;
  throw wrongInstanceInfo(
    'image_disk_format',
    `${JSON.stringify(format)}; expected the name of a format, such as qcow2`,
  );
}

function digestFields(checksum: string): JsonObject {
  const { algorithm, value } = parseChecksum(checksum) ?? {};
  if (algorithm === undefined || value === undefined) return { checksum };
  return algorithm === 'md5' ? { checksum: value } : { os_hash_algo: algorithm, os_hash_value: value };
}

/** Returns the login only when every URL is on an allowed host, because the agent sends the login with every download. */
function agentLogin(task: Task, fetched: readonly string[]): JsonObject {
  const login = loginFor(task);
  if (login === null) return {};
  const foreign = fetched
    .map((url) => URL.parse(url))
    .find((server) => server?.host && !isListedHost(server, login.hosts));
  if (foreign) {
    task.log.warn(
      { server: foreign.host, image_server_hosts: login.hosts },
      'the image server login is not sent: [deploy] image_server_hosts does not list this server',
    );
    return {};
  }
  return {
    image_server_auth_strategy: 'http_basic',
    image_server_user: login.user,
    image_server_password: login.password,
  };
}

/** Returns the fields of `image_info` that say how the agent partitions the disk. Throws InvalidParameter. */
function layoutOf(task: Task): JsonObject {
  const image_type = imageTypeOf(task);
  if (image_type === 'partition') return { image_type, ...partitionsOf(task) };
  if (preservesEphemeral(task))
    throw wrongInstanceInfo(
      'preserve_ephemeral',
      'a whole-disk image overwrites the ephemeral partition; remove the field',
    );
  return { image_type };
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';

function proxiesOf(driverInfo: JsonObject): JsonObject {
  const proxies = Object.fromEntries(
    (['http', 'https'] as const)
      .map((scheme) => [scheme, driverInfo[`image_${scheme}_proxy`]] as const)
      .filter((pair): pair is readonly ['http' | 'https', string] => isText(pair[1])),
  );
  const none = driverInfo['image_no_proxy'];
  return { ...(Object.keys(proxies).length > 0 && { proxies }), ...(isText(none) && { no_proxy: none }) };
}

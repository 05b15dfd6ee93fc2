// Turns the image description in `instance_info` into the agent's `image_info`, for a deployment.
import {
  expectedBootMode,
  expectedDiskLabel,
  fault,
  type Json,
  type JsonObject,
  type Task,
} from '#plugin-api';
import { agentOptions, deployOptions } from './options.ts';

const wrong = (name: string, reason: string) =>
  fault('InvalidParameter', { name: `instance_info/${name}`, reason });

/** `partition`: the image is a file system, and the agent creates the partition table. Throws InvalidParameter. */
export function imageTypeOf({ node: { instance_info: image } }: Task): 'whole-disk' | 'partition' {
  const type = image['image_type'] ?? (image['kernel'] || image['ramdisk'] ? 'partition' : 'whole-disk');
  if (type === 'whole-disk' || type === 'partition') return type;
  throw wrong('image_type', `${JSON.stringify(type)}; expected whole-disk or partition`);
}

/** Returns the agent's `image_info`. Throws InvalidParameter. */
export function imageFor(task: Task): JsonObject {
  const { node } = task;
  const url = sourceOf(task);
  const checksum = checksumOf(node.instance_info);
  return {
    id: url.pathname.split('/').at(-1) ?? '',
    urls: [url.href],
    disk_format: node.instance_info['image_disk_format'] ?? null,
    container_format: node.instance_info['image_container_format'] ?? null,
    stream_raw_images: agentOptions(task).stream_raw_images,
    node_uuid: node.uuid,
    image_type: imageTypeOf(task),
    ...checksum,
    ...loginOf(task, [url.href, checksum['checksum']]),
    ...proxiesOf(node.driver_info),
    ...(imageTypeOf(task) === 'partition' && partitionsOf(task)),
  };
}

function sourceOf(task: Task): URL {
  const { node } = task;
  const { image_source: source, image_download_source: ofInstance } = node.instance_info;
  if (typeof source !== 'string' || source === '')
    throw wrong('image_source', 'it is missing; set it to the http or https URL of the image');
  const url = URL.parse(source);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.pathname.endsWith('/'))
    throw wrong(
      'image_source',
      `${source}; expected the http or https URL of an image that the machine's ramdisk can reach. The daemon does not serve images itself yet`,
    );
  const download =
    ofInstance ?? node.driver_info['image_download_source'] ?? agentOptions(task).image_download_source;
  if (download !== 'http')
    throw wrong(
      'image_download_source',
      `${JSON.stringify(download)}; expected http: the ramdisk downloads the image itself. The daemon does not serve images yet`,
    );
  return url;
}

const HASH_ALGORITHMS: ReadonlyMap<number, string> = new Map([
  [32, 'md5'],
  [64, 'sha256'],
  [128, 'sha512'],
]);

/** Returns what the ramdisk verifies the image with; a hash algorithm and value take precedence over a checksum. */
function checksumOf(instance: JsonObject): JsonObject {
  const { image_os_hash_algo: algorithm, image_os_hash_value: value, image_checksum: checksum } = instance;
  if (isText(algorithm) && isText(value)) return { os_hash_algo: algorithm, os_hash_value: value };
  if (isText(algorithm)) throw wrong('image_os_hash_value', 'it is missing; image_os_hash_algo needs it');
  if (isText(value)) throw wrong('image_os_hash_algo', 'it is missing; image_os_hash_value needs it');
  if (isText(checksum)) return digestIn(checksum.trim());
  throw wrong(
    'image_checksum',
    'it is missing; set it, or image_os_hash_algo and image_os_hash_value, so that the written image can be verified',
  );
}

function digestIn(checksum: string): JsonObject {
  if (/^https?:\/\//.test(checksum)) return { checksum };
  const [, named, digest = ''] = /^(?:(md5|sha256|sha512):)?([0-9a-f]+)$/i.exec(checksum) ?? [];
  const known = HASH_ALGORITHMS.get(digest.length);
  if (known === undefined || (named !== undefined && named.toLowerCase() !== known))
    throw wrong(
      'image_checksum',
      `${checksum}; expected an MD5, SHA-256 or SHA-512 digest in hexadecimal, or the URL of a file with such digests`,
    );
  return known === 'md5' ? { checksum: digest } : { os_hash_algo: known, os_hash_value: digest };
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';

/** Returns the login only when every URL is on an allowed host, because the agent sends it with every download. */
function loginOf(task: Task, fetched: readonly (Json | undefined)[]): JsonObject {
  const {
    image_server_auth_strategy: strategy,
    image_server_hosts: hosts,
    image_server_user,
    image_server_password,
  } = deployOptions(task);
  if (strategy !== 'http_basic') return {};
  const foreign = fetched.map(serverOf).find((server) => server !== undefined && !isOneOf(server, hosts));
  if (foreign !== undefined) {
    task.log.warn(
      { server: foreign.host, image_server_hosts: hosts },
      'the image server login is not sent: [deploy] image_server_hosts does not list this server',
    );
    return {};
  }
  return {
    image_server_auth_strategy: 'http_basic',
    image_server_user,
    image_server_password,
  };
}

const serverOf = (url: Json | undefined): URL | undefined =>
  typeof url === 'string' ? (URL.parse(url) ?? undefined) : undefined;

/** `hosts`: names or addresses, each for one port or, without a port, for all. */
function isOneOf({ protocol, hostname, port }: URL, hosts: readonly string[]): boolean {
  const known = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return hosts.some((host) => [hostname, `${hostname}:${known}`].includes(host.toLowerCase()));
}

function proxiesOf(driverInfo: JsonObject): JsonObject {
  const proxies = Object.fromEntries(
    (['http', 'https'] as const)
      .map((scheme) => [scheme, driverInfo[`image_${scheme}_proxy`]] as const)
      .filter((pair): pair is readonly ['http' | 'https', string] => isText(pair[1])),
  );
  const none = driverInfo['image_no_proxy'];
  return { ...(Object.keys(proxies).length > 0 && { proxies }), ...(isText(none) && { no_proxy: none }) };
}

function partitionsOf(task: Task): JsonObject {
  const instance = task.node.instance_info;
  const rootGb = amount(instance, 'root_gb');
  if (rootGb === undefined || rootGb === 0)
    throw wrong('root_gb', 'it is missing; a partition image needs the size of the root partition in GiB');
  return {
    root_mb: rootGb * 1024,
    swap_mb: amount(instance, 'swap_mb') ?? 0,
    ephemeral_mb: (amount(instance, 'ephemeral_gb') ?? 0) * 1024,
    ephemeral_format: instance['ephemeral_format'] ?? null,
    preserve_ephemeral: instance['preserve_ephemeral'] === true,
    deploy_boot_mode: expectedBootMode(task),
    boot_option: 'local',
    disk_label: expectedDiskLabel(task),
    ...(instance['kernel'] !== undefined && { kernel: instance['kernel'] }),
    ...(instance['ramdisk'] !== undefined && { ramdisk: instance['ramdisk'] }),
  };
}

function amount(instance: JsonObject, name: string): number | undefined {
  const given = instance[name];
  if (given === undefined || given === null) return undefined;
  const number = typeof given === 'string' && given !== '' ? Number(given) : given;
  if (typeof number === 'number' && Number.isInteger(number) && number >= 0) return number;
  throw wrong(name, `${JSON.stringify(given)}; expected a whole number, 0 or more`);
}

// Where the image of an instance comes from, who downloads it, and how it is verified.
import { CHECKSUM_FORMS, fault, type Json, parseChecksum, type Task } from '#plugin-api';
import { agentOptions, deployOptions } from './options.ts';
import { wrongInstanceInfo } from './wrong-instance-info.ts';

/** Returns the URL in `image_source`. Throws InvalidParameter. */
export function sourceOf({ node: { instance_info: instance } }: Task): URL {
  const { image_source: source } = instance;
  if (!isText(source))
    throw wrongInstanceInfo(
      'image_source',
      'it is missing; set it to the http, https, file or oci URL of the image',
    );
  const url = URL.parse(source);
  if (
    url === null ||
    !['http:', 'https:', 'file:', 'oci:'].includes(url.protocol) ||
    url.pathname.endsWith('/')
  )
    throw wrongInstanceInfo(
      'image_source',
      `${source.slice(0, 200)}; expected the http, https, file or oci URL of an image`,
    );
  return url;
}

/** `daemon`: the daemon downloads and serves the image; `ramdisk`: the ramdisk downloads it. Throws InvalidParameter. */
export function deliveredBy(task: Task): 'ramdisk' | 'daemon' {
  const { instance_info: instance, driver_info: driver } = task.node;
  const isOfInstance = (instance['image_download_source'] ?? null) !== null;
  const download =
    (isOfInstance ? instance : driver)['image_download_source'] ?? agentOptions(task).image_download_source;
  if (download !== 'http' && download !== 'local')
    throw fault('InvalidParameter', {
      name: `${isOfInstance ? 'instance_info' : 'driver_info'}/image_download_source`,
      reason:
        download === 'swift'
          ? 'swift; there is no object store here: use local, or http'
          : `${JSON.stringify(download)}; expected http or local`,
    });
  return download === 'local' || isOnlyForDaemon(task) ? 'daemon' : 'ramdisk';
}

/**
 * Whether only the daemon can download the image. A `file:` image is on the daemon's host. An `oci:` image may need a login for
 * its registry, and a ramdisk that writes an image does not get that login.
 */
const isOnlyForDaemon = (task: Task) => ['file:', 'oci:'].includes(sourceOf(task).protocol);

/** Returns `image_pull_secret`, the login for the image's registry; null when not set. Throws InvalidParameter. */
export function pullSecretFor({ node: { instance_info: instance } }: Task): string | null {
  const secret = instance['image_pull_secret'] ?? '';
  if (secret === '') return null;
  if (isText(secret)) return secret;
  throw wrongInstanceInfo('image_pull_secret', 'expected USER:PASSWORD, or the same in base64');
}

/**
 * Returns the digest of the image, or the URL of a file with digests. `image_os_hash_algo` and `image_os_hash_value` take
 * precedence over `image_checksum`. Without these fields, returns null for an image in a file on the daemon's host or in a
 * registry, because such an image needs no checksum. Throws InvalidParameter.
 */
export function checksumFor(task: Task): string | null {
  const { instance_info: instance } = task.node;
  const { image_os_hash_algo: algorithm, image_os_hash_value: value, image_checksum: checksum } = instance;
  if (isText(algorithm) && isText(value))
    return permitted(task, 'image_os_hash_value', `${algorithm}:${value}`);
  if (isText(algorithm))
    throw wrongInstanceInfo('image_os_hash_value', 'it is missing; image_os_hash_algo needs it');
  if (isText(value))
    throw wrongInstanceInfo('image_os_hash_algo', 'it is missing; image_os_hash_value needs it');
  if (isText(checksum)) return permitted(task, 'image_checksum', checksum.trim());
  if (isOnlyForDaemon(task)) return null;
  throw wrongInstanceInfo(
    'image_checksum',
    'it is missing; set it, or image_os_hash_algo and image_os_hash_value, so that the written image can be verified',
  );
}

function permitted({ configuration }: Task, name: string, text: string): string {
  const { agent = {}, conductor = {} } = configuration;
  if (text.startsWith('http://') || text.startsWith('https://')) {
    if (conductor['disable_support_for_checksum_files'] !== true) return text;
    throw wrongInstanceInfo(
      name,
      'it is a URL, which [conductor] disable_support_for_checksum_files forbids; give a digest',
    );
  }
  const checksum = parseChecksum(text);
  if (checksum === undefined)
    throw wrongInstanceInfo(name, `${text.slice(0, 200)}; expected ${CHECKSUM_FORMS}`);
  if (checksum.algorithm === 'md5' && agent['allow_md5_checksum'] !== true)
    throw wrongInstanceInfo(
      name,
      'it is an MD5 digest, which does not protect an image; give its SHA-256, or set [agent] allow_md5_checksum',
    );
  return text;
}

/** Returns the login for the servers of images; null when the configuration has none. */
export function loginFor(task: Task) {
  const {
    image_server_auth_strategy: strategy,
    image_server_user: user,
    image_server_password: password,
    image_server_hosts: hosts,
  } = deployOptions(task);
  return strategy === 'http_basic' ? { user, password, hosts } : null;
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';

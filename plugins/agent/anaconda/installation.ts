// What `instance_info` says of an installation by anaconda.
import {
  type ConfigDriveFile,
  configDriveFiles,
  configDriveFlaw,
  isJsonObject,
  type Json,
  type Task,
} from '#plugin-api';
import { isRepository } from './kickstart.ts';
import { wrongInstanceInfo } from '../wrong-instance-info.ts';

/** Throws InvalidParameter when a field that the installation needs is missing, or when one that it uses is wrong. */
export function checkInstallation(task: Task): void {
  installerOf(task);
  imageUrlOf(task);
  imageSha256(task);
  configDriveToInstall(task);
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';

/**
 * Returns the URL in `image_source`. Throws InvalidParameter unless it is an http or https URL without characters that a
 * kickstart file or a boot script interprets.
 */
export function imageUrlOf({ node: { instance_info: instance } }: Task): string {
  const { image_source: source } = instance;
  const url = isText(source) ? URL.parse(source) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw wrongInstanceInfo(
      'image_source',
      `${JSON.stringify(source ?? null)}; expected an http or https URL of a file system image or, with a final /, of a repository`,
    );
  if (!/^[A-Za-z0-9_.,:/@%+=~?-]+$/.test(url.href))
    throw wrongInstanceInfo(
      'image_source',
      `${url.href} has characters other than letters, digits and _.,:/@%+=~?-`,
    );
  return url.href;
}

interface Installer {
  readonly kernel: string;
  readonly ramdisk: string;
  /** The URL of the installer's second stage; null: the installer gets its second stage from the repository. */
  readonly stage2: string | null;
}

/**
 * Throws InvalidParameter when `kernel` or `ramdisk` is missing, or when `stage2` is missing and `image_source` is not a
 * repository.
 */
export function installerOf(task: Task): Installer {
  const { kernel, ramdisk, stage2 } = task.node.instance_info;
  if (!isText(kernel)) throw missing('kernel', 'images/pxeboot/vmlinuz');
  if (!isText(ramdisk)) throw missing('ramdisk', 'images/pxeboot/initrd.img');
  if (isText(stage2)) return { kernel, ramdisk, stage2 };
  if (isRepository(imageUrlOf(task))) return { kernel, ramdisk, stage2: null };
  throw wrongInstanceInfo(
    'stage2',
    'it is missing; expected the URL of images/install.img of the distribution, unless image_source is a repository',
  );
}

const missing = (field: string, file: string) =>
  wrongInstanceInfo(field, `it is missing; expected the URL of ${file} of the distribution`);

/**
 * Returns the SHA-256 with which the installer verifies the image; null when `instance_info` has no digest. Throws
 * InvalidParameter for any other digest.
 */
export function imageSha256({ node: { instance_info: instance } }: Task): string | null {
  const { image_os_hash_algo: algorithm, image_os_hash_value: value, image_checksum: checksum } = instance;
  const given = isText(value) ? value : isText(checksum) ? checksum.replace(/^sha256:/, '') : null;
  if (given === null) return null;
  if (/^[0-9a-fA-F]{64}$/.test(given) && (algorithm ?? 'sha256') === 'sha256') return given;
  throw wrongInstanceInfo(
    isText(value) ? 'image_os_hash_value' : 'image_checksum',
    'anaconda verifies images with SHA-256 only: give 64 hexadecimal digits',
  );
}

/**
 * Returns the files of the config drive. Throws InvalidParameter when it is an image or a URL in place of an object with
 * `meta_data`, `user_data` and so on, or when that object is wrong.
 */
export function configDriveToInstall({ node }: Task): readonly ConfigDriveFile[] {
  const { configdrive = null } = node.instance_info;
  if (configdrive === null || configdrive === '') return [];
  const flaw = isJsonObject(configdrive)
    ? configDriveFlaw(configdrive)
    : 'deploy interface anaconda takes documents (meta_data, user_data, ...) only, not an image or a URL';
  if (flaw !== undefined) throw wrongInstanceInfo('configdrive', flaw);
  return isJsonObject(configdrive) ? configDriveFiles(configdrive, node) : [];
}

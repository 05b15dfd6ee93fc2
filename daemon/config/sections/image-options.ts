// Images of instances: where they may come from, what they may be, and how long copies stay. Names are Ironic's, but for
// image_server_networks.
import { flag, integer, list, networks, section, seconds, text } from './typed-options.ts';

/** Of [DEFAULT]. */
export const imageOptions = {
  force_raw_images: flag(
    true,
    'Whether the daemon converts the images that it serves to raw, which a ramdisk writes to the disk while it downloads them. Needs [agent] stream_raw_images. Off: ramdisks convert images in their memory.',
  ),
  webserver_verify_ca: text(
    'True',
    "How the TLS certificates of the servers of images are verified. True: against the system's trusted certificates. A path: against the certificates in that file (PEM). False: not at all.",
  ),
  webserver_connection_timeout: seconds(
    60,
    1,
    'How long a server of images may send nothing before the daemon asks it again, in seconds.',
  ),
};

/** Of [conductor]. */
export const imageRules = {
  image_server_networks: networks(
    'The networks that the servers of images may be in, when the daemon downloads from them; redirects are judged too. Empty: any address except loopback, link-local, multicast, broadcast and unspecified ones.',
  ),
  permitted_image_formats: list(
    ['raw', 'gpt', 'qcow2', 'iso'],
    'The formats that images may have, judged by their content: raw, gpt (a disk with a partition table, which raw includes), qcow2, iso, vmdk, vdi, vhd, vhdx, luks. Ramdisks are told the same.',
  ),
  disable_deep_image_inspection: flag(
    false,
    'Whether the content of images is not judged. They are then served as they are and never converted; ramdisks are told not to judge them either.',
  ),
  conductor_always_validates_images: flag(
    false,
    'Whether the daemon also downloads and judges images that ramdisks download themselves.',
  ),
  disable_support_for_checksum_files: flag(
    false,
    'Whether an image checksum must be a digest. Off: it may be the URL of a file with digests.',
  ),
};

/** Of [pxe]. */
export const imageCacheOptions = {
  image_cache_size: integer(
    20_480,
    { minimum: 0 },
    'How much of the disk copies of images may take, in MiB; the least recently used ones are removed. Copies in use are not, and may take more.',
  ),
  image_cache_ttl: integer(
    10_080,
    { minimum: 0 },
    'How long a copy of an image may stay unused, in minutes.',
  ),
};

export const diskUtilsSection = section({
  image_convert_memory_limit: integer(
    2048,
    { minimum: 256 },
    'The address space that qemu-img may take to convert an image, in MiB.',
  ),
});

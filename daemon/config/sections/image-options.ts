// Options for images of instances: where they may come from, which formats they may have, and how long copies are kept.
// Names are Ironic's, except image_server_networks and token_servers.
import { flag, integer, list, networks, pathOrNull, section, seconds, text } from './typed-options.ts';

/** Options of section DEFAULT. */
export const imageOptions = {
  force_raw_images: flag(
    true,
    'Whether the daemon converts the images that it serves to raw, so that a ramdisk can write an image to the disk while it downloads the image. Needs [agent] stream_raw_images. Off: ramdisks convert images in their memory.',
  ),
  webserver_verify_ca: text(
    'True',
    "How the TLS certificates of image servers are verified. True: against the system's trusted certificates. A path: against the certificates in that file (PEM). False: not at all.",
  ),
  webserver_connection_timeout: seconds(
    60,
    1,
    'How long an image server may send nothing before the daemon repeats the request, in seconds.',
  ),
};

/** Options of section conductor. */
export const imageRules = {
  image_server_networks: networks(
    'The networks from which the daemon downloads images; they also apply to redirects. Empty: any address except those of this host, where only the server of boot files may be used ([boot_http] port and [deploy] http_url), and loopback, link-local, multicast, broadcast and unspecified ones. Where another program on this host serves images, list the address of this host and the networks of all other image servers.',
  ),
  permitted_image_formats: list(
    ['raw', 'gpt', 'qcow2', 'iso'],
    'The formats that images may have, as found from their content: raw, gpt (a raw image with a partition table; raw permits it too), qcow2, iso, vmdk, vdi, vhd, vhdx, luks. Ramdisks get the same list.',
  ),
  disable_deep_image_inspection: flag(
    false,
    'Whether to skip the check of image formats. Images are then served unchanged and never converted, and ramdisks do not check formats either.',
  ),
  conductor_always_validates_images: flag(
    false,
    'Whether the daemon also downloads and checks the images that ramdisks download themselves.',
  ),
  disable_support_for_checksum_files: flag(
    false,
    'Whether an image checksum must be a digest. Off: it may be the URL of a file with digests.',
  ),
};

/** Options of section pxe. */
export const imageCacheOptions = {
  image_cache_size: integer(
    20_480,
    { minimum: 0 },
    'The maximum total size of the copies of images, in MiB. Above it, the least recently used copies are removed, except those in use.',
  ),
  image_cache_ttl: integer(
    10_080,
    { minimum: 0 },
    'How long an unused copy of an image is kept, in minutes.',
  ),
};

export const ociSection = section({
  authentication_config: pathOrNull(
    'File with logins for container registries, in the format of docker and podman: {"auths": {"registry.example": {"auth": "BASE64 OF USER:PASSWORD"}}}. instance_info/image_pull_secret takes precedence. Not set: none.',
  ),
  token_servers: list(
    ['auth.docker.io'],
    'The hosts to which the login for a registry may be sent when the registry refers to them for a token. The registry itself may always get its login.',
  ),
  permit_fallback_to_http_transport: flag(
    false,
    'Whether registries are reached over http instead of https. Only for tests: everybody on the way can read logins.',
  ),
});

export const diskUtilsSection = section({
  image_convert_memory_limit: integer(
    2048,
    { minimum: 256 },
    'The address space that qemu-img may take to convert an image, in MiB.',
  ),
});

// What an operator can do about an error of the agent. An error type that has only one cause selects the remedy by itself. For
// all other types, known words in the details of the error select it; without such words, some types still have a usual remedy.

const UNREACHABLE =
  'Check image_source, and that the machine can reach its server; with image_download_source = local the daemon downloads the image.';
const NOT_A_DISK =
  'Check that image_source is the image of a whole disk, in the format of image_disk_format; for a file system set image_type = partition.';

const BY_TYPE: ReadonlyMap<unknown, string> = new Map([
  ['ImageChecksumError', 'Correct the checksum in instance_info, or the image on its server.'],
  [
    'ImageDownloadOutofSpaceError',
    'The ramdisk has too little memory for the image; use a raw image, which the agent writes to the disk while it downloads it.',
  ],
  [
    'DeviceNotFound',
    'Correct root_device in the properties or the instance_info of the node; its inventory lists its disks.',
  ],
]);

const BY_DETAILS: readonly (readonly [string, string])[] = [
  ['[Errno 28]', 'The image is larger than the disk; correct root_device, or use a smaller image.'],
  ['HTTPConnectionPool(', UNREACHABLE],
  ['HTTPSConnectionPool(', UNREACHABLE],
  ['Unable to find a valid partition table', NOT_A_DISK],
  ['No partitions found', NOT_A_DISK],
];

/** Types with several causes: their remedy holds when the details contain none of the known words. */
const USUALLY: ReadonlyMap<unknown, string> = new Map([
  ['ImageDownloadError', UNREACHABLE],
  ['ImageDownloadFatalError', UNREACHABLE],
  ['ImageDownloadTimeoutError', UNREACHABLE],
]);

/** Returns undefined for an error without a known remedy. */
export const remedyFor = (type: unknown, details: string): string | undefined =>
  BY_TYPE.get(type) ?? BY_DETAILS.find(([words]) => details.includes(words))?.[1] ?? USUALLY.get(type);

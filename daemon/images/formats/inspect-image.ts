// Determines the format of an image from its content, and checks the image before any other program reads it.
import { withBytesOf, type ImageBytes } from './image-bytes.ts';
import { formatOf, type ImageFormat } from './image-formats.ts';
import { qcow2Bytes } from './qcow2.ts';
import { vdiBytes } from './vdi.ts';
import { vhdBytes } from './vhd.ts';
import { vhdxBytes } from './vhdx.ts';
import { vmdkBytes } from './vmdk.ts';
import { imageLimits } from '../limits.ts';

export interface InspectedImage {
  readonly format: ImageFormat;
  /** The size of the disk in the image. */
  readonly virtualBytes: number;
}

/** The container formats, which qemu-img can convert to raw, with qemu-img's name of each. */
export const containers: Readonly<Partial<Record<ImageFormat, string>>> = {
  qcow2: 'qcow2',
  vmdk: 'vmdk',
  vdi: 'vdi',
  vhd: 'vpc',
  vhdx: 'vhdx',
};

const sizes: Readonly<Partial<Record<ImageFormat, (bytes: ImageBytes) => Promise<number>>>> = {
  qcow2: qcow2Bytes,
  vmdk: vmdkBytes,
  vdi: vdiBytes,
  vhd: vhdBytes,
  vhdx: vhdxBytes,
};

/** Why text is refused, wherever it came from: the URL of a server, a file of this host, or an upload. */
export const TEXT_REFUSAL = 'it is text, such as a web page; give the image itself';

/** For each format that is always refused: the reason, and what the operator can do. */
const REMEDIES: Readonly<Partial<Record<ImageFormat, string>>> = {
  text: TEXT_REFUSAL,
  gzip: 'it is compressed with gzip; decompress it first',
  xz: 'it is compressed with xz; decompress it first',
  bzip2: 'it is compressed with bzip2; decompress it first',
  zstd: 'it is compressed with zstd; decompress it first',
  zip: 'it is a zip archive; unpack it first',
  qcow: 'its format is qcow, which is not supported; convert it to qcow2 first',
  qed: 'its format is qed, which is not supported; convert it to qcow2 first',
  parallels: 'its format is that of Parallels, which is not supported; convert it to qcow2 first',
};

/** `permitted`: `[conductor] permitted_image_formats`, where that applies. Throws with the reason for a refusal. */
export const inspectImage = (path: string, permitted?: readonly string[]): Promise<InspectedImage> =>
  withBytesOf(path, (bytes) => inspectBytes(bytes, permitted));

export async function inspectBytes(
  bytes: ImageBytes,
  permitted?: readonly string[],
): Promise<InspectedImage> {
  if (bytes.size === 0) throw new Error('it is empty');
  const format = await formatOf(bytes);
  const remedy = REMEDIES[format];
  if (remedy !== undefined) throw new Error(remedy);
  if (permitted !== undefined && !isPermitted(format, permitted))
    throw new Error(
      `its format is ${format}, and [conductor] permitted_image_formats is ${permitted.join(', ') || 'empty'}`,
    );
  const virtualBytes = await sizeOf(format, bytes);
  if (virtualBytes === 0) throw new Error('the disk in it is empty');
  if (!(virtualBytes <= imageLimits.diskBytes))
    throw new Error(`the disk in it is larger than ${imageLimits.diskBytes / 2 ** 30} GiB`);
  return { format, virtualBytes };
}

/** A disk with a partition table is raw too. */
const isPermitted = (format: ImageFormat, permitted: readonly string[]): boolean =>
  permitted.includes(format) || (format === 'gpt' && permitted.includes('raw'));

async function sizeOf(format: ImageFormat, bytes: ImageBytes): Promise<number> {
  try {
    return (await sizes[format]?.(bytes)) ?? bytes.size;
  } catch (error) {
    throw new Error(
      `its format is ${format}, but ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}

// Reads the header of a qcow2 image. Refuses an image that makes its reader open other files, is encrypted, is marked as corrupt,
// needs unknown features, or is cut off. Format: docs/interop/qcow2.txt of QEMU.
import type { ImageBytes } from './image-bytes.ts';
import { imageLimits } from '../limits.ts';
import { refuseCutOff } from './qcow2-tables.ts';

const HEADER_BYTES = 112;
const EXTERNAL_DATA = 1n << 2n;
const CORRUPT = 1n << 1n;
const EXTENDED = 1n << 4n;
/** The incompatible features that are accepted: dirty bit (after an unclean shutdown), compression type, extended L2 entries. */
const HARMLESS = 1n | (1n << 3n) | EXTENDED;
const DATA_FILE_NAME = 0x44415441;

/** Returns the size of the disk in the image, in bytes. Throws an Error that says why the image is refused. */
export async function qcow2Bytes(bytes: ImageBytes): Promise<number> {
  const header = await bytes.read(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES) throw new Error('its header is incomplete');
  const version = header.readUInt32BE(4);
  if (version !== 2 && version !== 3) throw new Error(`its version is ${version}, expected 2 or 3`);
  refuseDependence(header);
  if (version === 3) refuseFeatures(header.readBigUInt64BE(72));
  const clusterBits = header.readUInt32BE(20);
  if (clusterBits < 9 || clusterBits > 21)
    throw new Error(`its cluster size is 2^${clusterBits}, expected 2^9 to 2^21`);
  await refuseDataFileName(bytes, version === 2 ? 72 : header.readUInt32BE(100), 2 ** clusterBits);
  const size = header.readBigUInt64BE(24);
  const entries = header.readUInt32BE(36);
  // each entry of the L1 table stands for an L2 table of one cluster, and each entry of that table for one cluster
  if (entries > imageLimits.qcow2TableEntries || BigInt(entries) << BigInt(2 * clusterBits - 3) < size)
    throw new Error('its tables do not match its size');
  const start = Number(header.readBigUInt64BE(40));
  await refuseCutOff(bytes, { start, entries, clusterBits, isExtended: isExtended(header) });
  return Number(size);
}

const isExtended = (header: Buffer): boolean =>
  header.readUInt32BE(4) === 3 && (header.readBigUInt64BE(72) & EXTENDED) !== 0n;

function refuseDependence(header: Buffer): void {
  if (header.readBigUInt64BE(8) !== 0n || header.readUInt32BE(16) !== 0)
    throw new Error('it has a backing file, which would be read in place of missing parts');
  if (header.readUInt32BE(32) !== 0) throw new Error('it is encrypted');
}

function refuseFeatures(incompatible: bigint): void {
  if ((incompatible & EXTERNAL_DATA) !== 0n) throw new Error('its data are in another file');
  if ((incompatible & CORRUPT) !== 0n) throw new Error('it is marked as corrupt');
  if ((incompatible & ~HARMLESS) !== 0n)
    throw new Error(`it needs unknown features (0x${incompatible.toString(16)})`);
}

async function refuseDataFileName(bytes: ImageBytes, start: number, clusterBytes: number): Promise<void> {
  for (let offset = start; ;) {
    const extension = await bytes.read(offset, 8);
    if (extension.length < 8 || offset + 8 > clusterBytes) throw new Error('its header does not end');
    const [type, length] = [extension.readUInt32BE(0), extension.readUInt32BE(4)];
    if (type === 0) return;
    if (type === DATA_FILE_NAME) throw new Error('it names another file for its data');
    offset += 8 + Math.ceil(length / 8) * 8;
  }
}

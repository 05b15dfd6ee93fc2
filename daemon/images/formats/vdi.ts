// Reads the header of a VDI image. Refuses an image that depends on another image.
import type { ImageBytes } from './image-bytes.ts';

const HEADER_BYTES = 512;
const BLOCK_BYTES = 1_048_576;
const [DYNAMIC, FIXED, DIFFERENCES] = [1, 2, 4];

/** Returns the size of the disk in the image, in bytes. Throws an Error that says why the image is refused. */
export async function vdiBytes(bytes: ImageBytes): Promise<number> {
  const header = await bytes.read(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES) throw new Error('its header is incomplete');
  const version = header.readUInt32LE(0x44);
  if (version !== 0x10001) throw new Error(`its version is 0x${version.toString(16)}, expected 0x10001`);
  const type = header.readUInt32LE(0x4c);
  const parents = header.subarray(0x1a8, 0x1c8);
  if (type === DIFFERENCES || parents.some((byte) => byte !== 0))
    throw new Error('it holds only the differences to another image');
  if (type !== DYNAMIC && type !== FIXED)
    throw new Error(`its type is ${type}, expected ${DYNAMIC} or ${FIXED}`);
  const size = header.readBigUInt64LE(0x170);
  if (header.readUInt32LE(0x178) !== BLOCK_BYTES || BigInt(header.readUInt32LE(0x180)) * 1_048_576n < size)
    throw new Error('its tables do not match its size');
  return Number(size);
}

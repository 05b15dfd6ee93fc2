// Reads the footer of a VHD image. Refuses an image that depends on another image.
import type { ImageBytes } from './image-bytes.ts';

const FOOTER_BYTES = 512;
const [FIXED, DYNAMIC] = [2, 3];
/** The largest geometry that the format defines, in sectors. A larger disk has it too, so only its size field counts. */
const LARGEST_GEOMETRY = 65_535 * 16 * 255;

/** Returns the size of the disk in the image, in bytes. Throws an Error that says why the image is refused. */
export async function vhdBytes(bytes: ImageBytes): Promise<number> {
  const start = await bytes.read(0, FOOTER_BYTES);
  const end = await bytes.read(bytes.size - FOOTER_BYTES, FOOTER_BYTES);
  const copies = [start, end].filter((each) => each.toString('latin1', 0, 8) === 'conectix');
  const sizes = copies.map(sizeIn);
  // the two copies of the footer may give different sizes
  return Math.max(...sizes);
}

function sizeIn(footer: Buffer): number {
  if (footer.length < FOOTER_BYTES) throw new Error('its footer is incomplete');
  const type = footer.readUInt32BE(60);
  if (type !== FIXED && type !== DYNAMIC) throw new Error('it holds only the differences to another image');
  const sectors = footer.readUInt16BE(56) * footer.readUInt8(58) * footer.readUInt8(59);
  const size = Number(footer.readBigUInt64BE(48));
  // some readers use the size field, others the geometry, so the larger value is taken
  return sectors >= LARGEST_GEOMETRY ? size : Math.max(size, sectors * 512);
}

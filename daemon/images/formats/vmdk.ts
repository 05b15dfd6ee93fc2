// Reads the header of a VMDK image. Refuses an image whose data or parent are in other files. Format: VMware Virtual Disk Format
// 5.0.
import type { ImageBytes } from './image-bytes.ts';
import { imageLimits } from '../limits.ts';

const SECTOR = 512;
const HEADER_BYTES = 512;
/** Readers search at least this many bytes for the descriptor, even if the header gives it a smaller length. */
const LEAST_DESCRIPTOR_BYTES = 20 * SECTOR;
const AT_END = 0xffff_ffff_ffff_ffffn;
/** The footer takes one sector; the end-of-stream marker after it takes another. */
const FOOTER_BEFORE_END = 2 * SECTOR;
const TYPES = ['monolithicSparse', 'streamOptimized'];

/** Returns the size of the disk in the image, in bytes. Throws an Error that says why the image is refused. */
export async function vmdkBytes(bytes: ImageBytes): Promise<number> {
  const header = await headerAt(bytes, 0);
  if (header.tablesOffset === AT_END) {
    const footer = await headerAt(bytes, bytes.size - FOOTER_BEFORE_END);
    if (footer.sectors !== header.sectors || footer.descriptorOffset !== header.descriptorOffset)
      throw new Error('its footer contradicts its header');
  }
  const length = Math.max(header.descriptorBytes, LEAST_DESCRIPTOR_BYTES);
  if (length > imageLimits.vmdkDescriptorBytes) throw new Error('its descriptor is larger than 1 MiB');
  const descriptor = await bytes.read(header.descriptorOffset, length);
  refuseOtherFiles(descriptor.toString('latin1'));
  return header.sectors * SECTOR;
}

interface Header {
  readonly sectors: number;
  readonly descriptorOffset: number;
  readonly descriptorBytes: number;
  readonly tablesOffset: bigint;
}

async function headerAt(bytes: ImageBytes, offset: number): Promise<Header> {
  const header = await bytes.read(offset, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, 4) !== 'KDMV')
    throw new Error('its data are in other files');
  const sectors = Number(header.readBigUInt64LE(12));
  const descriptor = Number(header.readBigUInt64LE(28));
  // when the size in the header is 0, a reader takes the whole disk from the files that the descriptor names
  if (sectors === 0 || descriptor === 0) throw new Error('its data are in other files');
  return {
    sectors,
    descriptorOffset: descriptor * SECTOR,
    descriptorBytes: Number(header.readBigUInt64LE(36)) * SECTOR,
    tablesOffset: header.readBigUInt64LE(56),
  };
}

function refuseOtherFiles(descriptor: string): void {
  if (descriptor.includes('parentFileNameHint')) throw new Error('it has a parent, which is another file');
  const lines = descriptor
    .replaceAll('\0', '\n')
    .split('\n')
    .map((line) => line.trim());
  const values = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
  const [type = '', ...others] = values('createType');
  if (others.length > 0 || !TYPES.some((known) => type === `"${known}"`))
    throw new Error(`its type is ${type.slice(0, 40) || 'missing'}, expected ${TYPES.join(' or ')}`);
  if (values('parentCID').some((value) => value !== 'ffffffff'))
    throw new Error('it has a parent, which is another file');
  const extents = lines.filter((line) => /^(?:RW|RDONLY|NOACCESS)\s/.test(line));
  if (extents.length !== 1 || !/^RW \d+ SPARSE "[^"/]+"$/.test(extents[0] ?? ''))
    throw new Error('its data are in other files');
}

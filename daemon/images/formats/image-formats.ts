// Recognises image formats by their content. File names do not count.
import type { ImageBytes } from './image-bytes.ts';

/**
 * The names are Ironic's where Ironic knows the format. `gpt`: a disk with an MBR or GPT partition table. `raw`: none of the
 * others.
 */
export type ImageFormat =
  | 'raw'
  | 'gpt'
  | 'iso'
  | 'qcow2'
  | 'vmdk'
  | 'vdi'
  | 'vhd'
  | 'vhdx'
  | 'luks'
  | Unusable;

/** Formats that are recognised only to say why they are refused. */
type Unusable = 'qcow' | 'qed' | 'parallels' | 'gzip' | 'xz' | 'bzip2' | 'zstd' | 'zip' | 'text';

const HEAD_BYTES = 34_816;
const SECTOR = 512;

const at = (offset: number, ...magic: readonly (string | readonly number[])[]) => {
  const wanted = magic.map((each) => Buffer.from(each as string, 'latin1'));
  return (head: Buffer) => wanted.some((bytes) => head.subarray(offset, offset + bytes.length).equals(bytes));
};
const qcow = at(0, 'QFI\u00fb');

const MAGIC: readonly (readonly [ImageFormat, (head: Buffer) => boolean])[] = [
  ['qcow2', (head) => qcow(head) && head.readUInt32BE(4) !== 1],
  ['qcow', (head) => qcow(head) && head.readUInt32BE(4) === 1],
  ['qed', at(0, 'QED\0')],
  ['vmdk', at(0, 'KDMV', 'COWD', '# Disk DescriptorFile', '# disk descriptorfile')],
  ['vdi', at(64, [0x7f, 0x10, 0xda, 0xbe])],
  ['vhd', at(0, 'conectix')],
  ['vhdx', at(0, 'vhdxfile')],
  ['luks', at(0, 'LUKS\u00ba\u00be')],
  ['parallels', at(0, 'WithoutFreeSpace', 'WithouFreSpacExt')],
  ['iso', at(32_769, 'CD001')],
  ['gzip', at(0, [0x1f, 0x8b])],
  ['xz', at(0, [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0])],
  ['bzip2', at(0, 'BZh')],
  ['zstd', at(0, [0x28, 0xb5, 0x2f, 0xfd])],
  ['zip', at(0, 'PK\u0003\u0004')],
  ['gpt', at(SECTOR - 2, [0x55, 0xaa])],
  ['gpt', at(SECTOR, 'EFI PART')],
];

/**
 * Throws with the reason when the bytes fit several formats that exclude each other, because programs could disagree about the
 * format. An ISO image or a VHD with a partition table is accepted.
 */
export async function formatOf(bytes: ImageBytes): Promise<ImageFormat> {
  const head = Buffer.alloc(HEAD_BYTES);
  const start = await bytes.read(0, HEAD_BYTES);
  start.copy(head);
  const found = new Set(MAGIC.filter(([, matches]) => matches(head)).map(([format]) => format));
  const tail = await bytes.read(bytes.size - SECTOR, SECTOR);
  if (at(0, 'conectix')(tail)) found.add('vhd');
  // a disk image may also be bootable as a CD, and a VHD of fixed size is a disk with a footer
  if (found.size === 2 && (found.has('iso') || found.has('vhd'))) found.delete('gpt');
  const [format, other] = found;
  if (other !== undefined) throw new Error(`it looks like several formats at once: ${[...found].join(', ')}`);
  return format ?? (isText(start.subarray(0, SECTOR)) ? 'text' : 'raw');
}

const isText = (bytes: Buffer): boolean =>
  bytes.length > 0 && bytes.every((byte) => (byte >= 32 && byte !== 127) || (byte >= 9 && byte <= 13));

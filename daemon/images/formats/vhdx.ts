// Reads the metadata of a VHDX image. Refuses an image that depends on another image. Format: [MS-VHDX].
import type { ImageBytes } from './image-bytes.ts';

const REGION_TABLE_OFFSETS = [196_608, 262_144];
const TABLE_BYTES = 65_536;
const ENTRY_BYTES = 32;
const METADATA = '06a27c8b90479a4bb8fe575f050f886e';
const FILE_PARAMETERS = '3767a1ca36fa434db3b633f0aa44e76b';
const DISK_SIZE = '2442a52f1bcd7648b2115dbed83bf4b8';
const PARENT_LOCATOR = '2d5fd3a80bb34d45abf7d3d84834ab0c';
const HAS_PARENT = 2;

/** Returns the size of the disk in the image, in bytes. Throws an Error that says why the image is refused. */
export async function vhdxBytes(bytes: ImageBytes): Promise<number> {
  const sizes = await Promise.all(REGION_TABLE_OFFSETS.map((offset) => sizeBy(bytes, offset)));
  const [size] = sizes;
  if (size === undefined || sizes.some((other) => other !== size))
    throw new Error('its two region tables contradict each other');
  return size;
}

async function sizeBy(bytes: ImageBytes, regions: number): Promise<number> {
  const offset = (await entries(bytes, regions, { magic: 'regi', count: [8, 4], start: 16 })).get(METADATA);
  if (offset === undefined) throw new Error('it has no metadata');
  const metadataOffset = Number(offset.readBigUInt64LE(16));
  const items = await entries(bytes, metadataOffset, { magic: 'metadata', count: [10, 2], start: 32 });
  if (items.has(PARENT_LOCATOR)) throw new Error('it has a parent, which is another file');
  const valueOf = async (item: string) => {
    const entry = items.get(item);
    const value = entry && (await bytes.read(metadataOffset + entry.readUInt32LE(16), 8));
    if (value === undefined || value.length < 8) throw new Error('its metadata are incomplete');
    return value;
  };
  const parameters = await valueOf(FILE_PARAMETERS);
  if ((parameters.readUInt32LE(4) & HAS_PARENT) !== 0)
    throw new Error('it has a parent, which is another file');
  return Number((await valueOf(DISK_SIZE)).readBigUInt64LE(0));
}

interface TableForm {
  readonly magic: string;
  /** The field with the number of entries: its offset in the table, and its length in bytes. */
  readonly count: readonly [offset: number, length: number];
  /** The offset of the first entry in the table. */
  readonly start: number;
}

/** The entries of a table, by the GUID (in hexadecimal) with which each entry begins. */
async function entries(
  bytes: ImageBytes,
  offset: number,
  { magic, count, start }: TableForm,
): Promise<ReadonlyMap<string, Buffer>> {
  const table = await bytes.read(offset, TABLE_BYTES);
  if (table.length < TABLE_BYTES || table.toString('latin1', 0, magic.length) !== magic)
    throw new Error('its tables are incomplete');
  const number = Math.min(table.readUIntLE(...count), (TABLE_BYTES - start) / ENTRY_BYTES);
  const each = Array.from({ length: Math.floor(number) }, (_, index) =>
    table.subarray(start + index * ENTRY_BYTES, start + (index + 1) * ENTRY_BYTES),
  );
  return new Map(each.map((entry) => [entry.toString('hex', 0, 16), entry]));
}

// Whether a qcow2 image is whole: its tables name each cluster of the disk, and one of a file that was cut off lies behind its end.
import type { ImageBytes } from './image-bytes.ts';

export interface Qcow2Tables {
  /** The place of the L1 table in the file, and how many entries it has. */
  readonly start: number;
  readonly entries: number;
  readonly clusterBits: number;
  /** Whether each entry of an L2 table has 16 bytes in place of 8. */
  readonly isExtended: boolean;
}

const ENTRY_BYTES = 8;
const OFFSET_BITS = 0x00ff_ffff_ffff_fe00n;
const COMPRESSED = 1n << 62n;

/** Throws an Error when a table or a cluster begins behind the end of the file. */
export async function refuseCutOff(bytes: ImageBytes, tables: Qcow2Tables): Promise<void> {
  const { start, entries, clusterBits, isExtended } = tables;
  const clusterBytes = 2 ** clusterBits;
  const pieceEntries = clusterBytes / ENTRY_BYTES;
  let left = bytes.size;
  for (let first = 0; first < entries; first += pieceEntries) {
    const count = Math.min(pieceEntries, entries - first);
    const l1 = await wholeTable(bytes, start + first * ENTRY_BYTES, count * ENTRY_BYTES);
    for (let at = 0; at < l1.length; at += ENTRY_BYTES) {
      const place = Number(l1.readBigUInt64BE(at) & OFFSET_BITS);
      if (place === 0) continue;
      // no table is named twice, so together they are no larger than the file: else an image could be read without end
      left -= clusterBytes;
      if (left < 0) throw new Error('its tables are larger than the image');
      const l2 = await wholeTable(bytes, place, clusterBytes);
      refuseBehindEnd(l2, bytes.size, { clusterBits, step: isExtended ? 2 * ENTRY_BYTES : ENTRY_BYTES });
    }
  }
}

async function wholeTable(bytes: ImageBytes, place: number, length: number): Promise<Buffer> {
  const table = await bytes.read(place, length);
  if (table.length < length) throw cutOff(place, bytes.size);
  return table;
}

function refuseBehindEnd(
  table: Buffer,
  size: number,
  { clusterBits, step }: { readonly clusterBits: number; readonly step: number },
): void {
  const compressedBits = (1n << BigInt(70 - clusterBits)) - 1n;
  for (let at = 0; at < table.length; at += step) {
    const entry = table.readBigUInt64BE(at);
    const place = Number(entry & ((entry & COMPRESSED) === 0n ? OFFSET_BITS : compressedBits));
    if (place >= size) throw cutOff(place, size);
  }
}

const cutOff = (place: number, size: number) =>
  new Error(`it is cut off: it has ${size} bytes, and a part of it begins at byte ${place}`);

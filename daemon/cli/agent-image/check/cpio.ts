// Reads cpio archives of the format newc, which is what Linux unpacks as its initramfs.
import type { ByteReader } from './byte-reader.ts';

export interface CpioEntry {
  /** The path in the archive: `usr/bin/env`. */
  readonly name: string;
  readonly bytes: number;
  /** Reads the content of a regular file; call it before you ask for the next entry. */
  readonly read: () => Promise<Buffer>;
}

export const CPIO_MAGIC = '070701';
const HEADER_BYTES = 110;
const LONGEST_NAME = 4096;
const LAST = 'TRAILER!!!';

/** Throws an Error when the archive is damaged. Stops after the last entry. */
export async function* cpioEntries(reader: ByteReader): AsyncGenerator<CpioEntry> {
  for (;;) {
    const header = (await reader.take(HEADER_BYTES)).toString('latin1');
    if (header.length < HEADER_BYTES) throw new Error('the archive ends early: it was not copied completely');
    if (!header.startsWith(CPIO_MAGIC))
      throw new Error(`the bytes before byte ${reader.position} are not the header of an archive entry`);
    // the header has thirteen numbers of eight hexadecimal digits
    const [bytes, nameBytes] = [numberAt(header, 6), numberAt(header, 11)];
    if (!(nameBytes <= LONGEST_NAME && bytes >= 0))
      throw new Error(`the header before byte ${reader.position} has no valid size or name length`);
    const name = (await reader.take(nameBytes)).toString().slice(0, -1);
    await reader.skip(padding(HEADER_BYTES + nameBytes));
    if (name === LAST) return;
    const end = reader.position + bytes + padding(bytes);
    yield { name: name.replace(/^\.?\//, ''), bytes, read: () => reader.take(bytes) };
    await reader.skip(end - reader.position);
  }
}

const numberAt = (header: string, index: number): number =>
  Number.parseInt(header.slice(6 + index * 8, 14 + index * 8), 16);

const padding = (bytes: number): number => (4 - (bytes % 4)) % 4;

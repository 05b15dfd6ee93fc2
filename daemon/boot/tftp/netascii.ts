// Converts content to the line ends of netascii (RFC 764): LF becomes CR LF, and CR becomes CR NUL.
import type { TftpContent } from './content.ts';

const [NUL, LF, CR] = [0, 10, 13];
const PART_BYTES = 65_536;

/** Returns the converted content, whose size is known only when all of it has been read. */
export function asNetascii(content: TftpContent): TftpContent {
  const part = Buffer.allocUnsafe(PART_BYTES);
  // each byte of the part becomes at most two
  const converted = Buffer.allocUnsafe(2 * PART_BYTES);
  let waiting = converted.subarray(0, 0);
  const next = async () => {
    const length = await content.read([part]);
    waiting = converted.subarray(0, convert(part.subarray(0, length), converted));
  };
  return {
    sizeBytes: undefined,
    async read(views) {
      let total = 0;
      for (const view of views) {
        for (let filled = 0; filled < view.length;) {
          if (waiting.length === 0) await next();
          if (waiting.length === 0) return total;
          const copied = waiting.copy(view, filled);
          waiting = waiting.subarray(copied);
          filled += copied;
          total += copied;
        }
      }
      return total;
    },
    close: () => content.close(),
  };
}

/** Converts the bytes of `from` and writes them to `to`; returns the number of bytes written. */
function convert(from: Buffer, to: Buffer): number {
  let length = 0;
  for (const octet of from) {
    if (octet === LF) to[length++] = CR;
    to[length++] = octet;
    if (octet === CR) to[length++] = NUL;
  }
  return length;
}

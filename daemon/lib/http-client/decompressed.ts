// Undoes the compression of a reply. Requests do not ask for it, but some servers compress nevertheless.
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { HttpReply } from './send-request.ts';

type Decoder = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/**
 * Returns the reply unchanged if it is not compressed in a known way, whatever its header says. Rejects when the decompressed reply
 * would be larger than `largestBytes`.
 */
export async function decompressed(reply: HttpReply, largestBytes: number): Promise<HttpReply> {
  const [encoding = ''] = reply.headers['content-encoding'] ?? [];
  const decode = decoders.get(encoding.trim().toLowerCase());
  if (decode === undefined || reply.bytes.length === 0) return reply;
  try {
    return { ...reply, bytes: await decode(reply.bytes, { maxOutputLength: largestBytes }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') return reply;
    throw new Error(`its reply is larger than ${largestBytes} bytes when decompressed`, { cause: error });
  }
}

// Runs in a thread: computes the digest of a file.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { HashAlgorithm } from '../../model/machine/image-checksum.ts';

const PIECE_BYTES = 1_048_576;

export async function digestInThread({
  file,
  algorithm,
}: {
  readonly file: string;
  readonly algorithm: HashAlgorithm;
}): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file, { highWaterMark: PIECE_BYTES }), hash);
  return hash.digest('hex');
}

// Checksums of images, as operators and checksum files write them.

export type HashAlgorithm = 'md5' | 'sha256' | 'sha384' | 'sha512';

export interface Checksum {
  readonly algorithm: HashAlgorithm;
  /** Lower-case hexadecimal. */
  readonly value: string;
}

export const CHECKSUM_FORMS =
  'an MD5, SHA-256, SHA-384 or SHA-512 digest in hexadecimal, such as sha256:..., or the URL of a file with such digests';

/** By the number of hexadecimal digits, the weakest first. */
const ALGORITHMS: ReadonlyMap<number, HashAlgorithm> = new Map([
  [32, 'md5'],
  [64, 'sha256'],
  [96, 'sha384'],
  [128, 'sha512'],
]);

/** Reads `DIGEST`, whose length determines the algorithm, and `ALGORITHM:DIGEST`; undefined for any other text. */
export function parseChecksum(text: string): Checksum | undefined {
  const colon = text.indexOf(':');
  const value = text.slice(colon + 1).toLowerCase();
  const algorithm = ALGORITHMS.get(value.length);
  if (algorithm === undefined || !/^[0-9a-f]+$/.test(value)) return undefined;
  if (colon !== -1 && text.slice(0, colon).toLowerCase() !== algorithm) return undefined;
  return { algorithm, value };
}

/** Returns the checksums of the strongest algorithm among them. */
export function strongestOf(checksums: readonly Checksum[]): readonly Checksum[] {
  const digits = Math.max(...checksums.map(({ value }) => value.length));
  return checksums.filter(({ value }) => value.length === digits);
}

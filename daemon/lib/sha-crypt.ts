// Hashes passwords for /etc/shadow with SHA-crypt: "$5$salt$..." and "$6$salt$..." with 5000 rounds
// (Drepper, "Unix crypt using SHA-256 and SHA-512", version 0.6).
import { hash, randomBytes } from 'node:crypto';

export type ShaCryptAlgorithm = 'sha256' | 'sha512';

const ROUNDS = 5000;
const DIGITS = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const formats = { sha256: { id: 5, bytes: 32 }, sha512: { id: 6, bytes: 64 } } as const;

/**
 * `salt`: up to 16 characters without `$`. Time and memory grow with the square of the password's length, so callers must limit
 * that length.
 */
export function shaCrypt(algorithm: ShaCryptAlgorithm, password: string, salt = randomSalt()): string {
  const key = Buffer.from(password);
  const seed = Buffer.from(salt);
  const digest = (...parts: readonly Buffer[]) => hash(algorithm, Buffer.concat(parts), 'buffer');
  const first = firstDigest(digest, key, seed);
  const keyBytes = filled(digest(...Array.from({ length: key.length }, () => key)), key.length);
  const seedBytes = filled(digest(...Array.from({ length: 16 + (first[0] ?? 0) }, () => seed)), seed.length);
  let last = first;
  for (let round = 0; round < ROUNDS; round += 1) {
    const odd = round % 2 === 1;
    last = digest(
      odd ? keyBytes : last,
      ...(round % 3 === 0 ? [] : [seedBytes]),
      ...(round % 7 === 0 ? [] : [keyBytes]),
      odd ? last : keyBytes,
    );
  }
  return `$${formats[algorithm].id}$${salt}$${encoded(algorithm, last)}`;
}

const randomSalt = () => Array.from(randomBytes(16), (byte) => DIGITS[byte % DIGITS.length] ?? '').join('');

function firstDigest(digest: (...parts: readonly Buffer[]) => Buffer, key: Buffer, seed: Buffer): Buffer {
  const alternate = digest(key, seed, key);
  const bits = key.length.toString(2).split('').toReversed();
  const mixed = key.length === 0 ? [] : bits.map((bit) => (bit === '1' ? alternate : key));
  return digest(key, seed, filled(alternate, key.length), ...mixed);
}

/** Returns `bytes`, repeated and cut to `length`. */
const filled = (bytes: Buffer, length: number) => Buffer.alloc(length, bytes);

function encoded(algorithm: ShaCryptAlgorithm, digest: Buffer): string {
  const groups = byteOrder(algorithm).map(([high, middle, low]) =>
    digits(((digest[high] ?? 0) << 16) | ((digest[middle] ?? 0) << 8) | (digest[low] ?? 0), 4),
  );
  const rest =
    algorithm === 'sha256'
      ? digits(((digest[31] ?? 0) << 8) | (digest[30] ?? 0), 3)
      : digits(digest[63] ?? 0, 2);
  return groups.join('') + rest;
}

/**
 * The digest is encoded in groups of three bytes. Returns the indexes of the bytes of each group: those of the previous group,
 * each plus one, and rotated.
 */
function byteOrder(algorithm: ShaCryptAlgorithm): readonly (readonly [number, number, number])[] {
  const third = Math.floor(formats[algorithm].bytes / 3);
  const order: [number, number, number][] = [];
  let [a, b, c] = [0, third, 2 * third];
  while (order.length < third) {
    order.push([a, b, c]);
    [a, b, c] = algorithm === 'sha256' ? [c + 1, a + 1, b + 1] : [b + 1, c + 1, a + 1];
  }
  return order;
}

const digits = (value: number, count: number) =>
  Array.from({ length: count }, (_, place) => DIGITS[(value >> (6 * place)) & 63] ?? '').join('');

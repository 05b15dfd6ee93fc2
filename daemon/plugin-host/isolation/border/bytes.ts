// Separates bytes from the arguments or the result of a call, so that the rest can go to or from a plugin's process as JSON. The
// only such bytes are inspection reports.
import type { Cargo } from './peer.ts';

/** Takes the first member that consists of bytes out of a list or an object. */
export function packed(value: unknown): {
  readonly value: unknown;
  readonly bytes?: Uint8Array;
  readonly at?: string;
} {
  if (typeof value !== 'object' || value === null) return { value };
  const [at, bytes] = Object.entries(value).find(([, member]) => member instanceof Uint8Array) ?? [];
  if (at === undefined || !(bytes instanceof Uint8Array)) return { value };
  const rest: unknown = Array.isArray(value)
    ? value.map((member: unknown, index) => (String(index) === at ? null : member))
    : { ...value, [at]: null };
  return { value: rest, bytes, at };
}

/** Puts the bytes back where `packed` took them from. */
export function unpacked({ value, bytes }: Cargo, at: unknown): unknown {
  const isPlace =
    typeof value === 'object' && value !== null && typeof at === 'string' && Object.hasOwn(value, at);
  if (!isPlace || bytes === undefined) return value;
  // a copy: the bytes are a part of a larger buffer
  Object.defineProperty(value, at, { value: new Uint8Array(bytes), enumerable: true });
  return value;
}

// The octets of LLDP TLVs, and the facts that are read from them.
import { ipOfOctets, type Json } from '#plugin-api';

export interface Tlv {
  readonly type: number;
  readonly value: Buffer;
}

/** One thing that a TLV says, under the name it has in plugin data. */
export interface Fact {
  readonly key: string;
  readonly value: Json;
  /** One of a list; several TLVs may add to it. */
  readonly listed?: true;
}

/** The reason to ignore a TLV. */
export class MalformedTlv extends Error {
  override readonly name = 'MalformedTlv';
}

/** `count` octets from `from`. Throws MalformedTlv when there are fewer. */
export function octets(value: Buffer, from: number, count: number): Buffer {
  if (value.length < from + count)
    throw new MalformedTlv(`it has ${value.length} octets, expected at least ${from + count}`);
  return value.subarray(from, from + count);
}

/** An unsigned number of `count` octets. */
export const unsigned = (value: Buffer, from: number, count: 1 | 2 | 4): number =>
  octets(value, from, count).readUIntBE(0, count);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Without NUL characters, which some switches fill up with. */
export function text(value: Buffer): string {
  try {
    return utf8.decode(value).replaceAll('\0', '');
  } catch {
    throw new MalformedTlv('it is not UTF-8');
  }
}

/** The first six octets as a MAC address. */
export const mac = (value: Buffer): string =>
  [...octets(value, 0, 6)].map((octet) => octet.toString(16).padStart(2, '0')).join(':');

const [IPV4, IPV6] = [1, 2];

/** An address after the octet that tells its family (IANA's numbers); undefined for a family other than IP. */
export function ipAddress(value: Buffer): string | undefined {
  const family = unsigned(value, 0, 1);
  if (family === IPV4) return ipOfOctets(octets(value, 1, 4));
  return family === IPV6 ? ipOfOctets(octets(value, 1, 16)) : undefined;
}

export const isSet = (flags: number, bit: number) => (flags & (1 << bit)) !== 0;

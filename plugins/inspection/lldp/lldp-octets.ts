// Reads the octets of LLDP TLVs.
import { canonicalIp, type Json } from '#plugin-api';

export interface Tlv {
  readonly type: number;
  readonly value: Buffer;
}

/** One value from a TLV, with its key in plugin data. */
export interface Fact {
  readonly key: string;
  readonly value: Json;
  /** Set if the value is one item of a list to which several TLVs may contribute. */
  readonly listed?: true;
}

/** Why a TLV is ignored. */
export class MalformedTlv extends Error {
  override readonly name = 'MalformedTlv';
}

/** Returns `count` octets starting at `from`. Throws MalformedTlv when there are fewer. */
export function octets(value: Buffer, from: number, count: number): Buffer {
  if (value.length < from + count)
    throw new MalformedTlv(`it has ${value.length} octets, expected at least ${from + count}`);
  return value.subarray(from, from + count);
}

/** Returns the unsigned number in `count` octets. Throws MalformedTlv when there are fewer. */
export const unsigned = (value: Buffer, from: number, count: 1 | 2 | 4): number =>
  octets(value, from, count).readUIntBE(0, count);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes UTF-8 and drops NUL characters, which some switches pad with. Throws MalformedTlv. */
export function lldpText(value: Buffer): string {
  try {
    return utf8.decode(value).replaceAll('\0', '');
  } catch {
    throw new MalformedTlv('it is not UTF-8');
  }
}

/** Returns the first six octets as a MAC address. Throws MalformedTlv when there are fewer. */
export const mac = (value: Buffer): string =>
  [...octets(value, 0, 6)].map((octet) => octet.toString(16).padStart(2, '0')).join(':');

const [IPV4, IPV6] = [1, 2];

/**
 * Returns the address that follows an octet with the address family (IANA's numbers); undefined for a family other than IPv4 and
 * IPv6. Throws MalformedTlv.
 */
export function ipAddress(value: Buffer): string | undefined {
  const family = unsigned(value, 0, 1);
  if (family === IPV4) return canonicalIp(octets(value, 1, 4).join('.'));
  return family === IPV6 ? canonicalIp(hextets(octets(value, 1, 16)).join(':')) : undefined;
}

const hextets = (value: Buffer): readonly string[] =>
  Array.from({ length: 8 }, (_, at) => value.readUInt16BE(at * 2).toString(16));

export const isSet = (flags: number, bit: number) => (flags & (1 << bit)) !== 0;

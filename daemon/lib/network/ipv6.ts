// IPv6 addresses as 128-bit numbers, as DHCPv6 pools and messages use them.
import ipaddr from 'ipaddr.js';
import { ipv4Text, parseIpv4 } from './ipv4.ts';

// eight groups of four digits, or an IPv4 address in place of the last two
const LONGEST = 45;
const CHARACTERS = /^[\da-f:.]+$/i;

/** Reads an address in any form, without zone and brackets; undefined for any other text. */
export function parseIpv6(text: string): bigint | undefined {
  if (text.length > LONGEST || !text.includes(':') || !CHARACTERS.test(text)) return undefined;
  return ipaddr.IPv6.isValid(text) ? ipv6Of(Buffer.from(ipaddr.IPv6.parse(text).toByteArray())) : undefined;
}

/** The address in 16 bytes. */
export const ipv6Of = (bytes: Uint8Array): bigint => {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (view.readBigUInt64BE(0) << 64n) | view.readBigUInt64BE(8);
};

export function ipv6Bytes(address: bigint): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64BE(address >> 64n, 0);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, address), 8);
  return bytes;
}

/** Returns the canonical text, such as `2001:db8::1`. */
export const ipv6Text = (address: bigint): string =>
  new ipaddr.IPv6([...ipv6Bytes(address)]).toRFC5952String();

const isIn = (address: bigint, start: bigint, prefix: number) =>
  address >> BigInt(128 - prefix) === start >> BigInt(128 - prefix);

/** Whether the address is valid on one link only (fe80::/10). */
export const isLinkLocal = (address: bigint): boolean => isIn(address, 0xfe80n << 112n, 10);

/** Whether the address may be that of one host that others reach: not of a link, a group, this host or none. */
export const isGlobalUnicast = (address: bigint): boolean =>
  address > 1n && !isLinkLocal(address) && !isIn(address, 0xffn << 120n, 8);

/** The MAC address in an interface identifier of the form EUI-64 (RFC 4291, appendix A); undefined for any other identifier. */
export function macInEui64(address: bigint): string | undefined {
  const bytes = ipv6Bytes(address).subarray(8);
  if (bytes[3] !== 0xff || bytes[4] !== 0xfe) return undefined;
  const mac = [(bytes[0] ?? 0) ^ 2, ...bytes.subarray(1, 3), ...bytes.subarray(5)];
  return mac.map((each) => each.toString(16).padStart(2, '0')).join(':');
}

/** Reads an address of either family: an IPv4 address is a number, an IPv6 address a bigint. */
export const parseIp = (text: string): number | bigint | undefined =>
  text.includes(':') ? parseIpv6(text) : parseIpv4(text);

/** The canonical text of an address of either family. */
export const ipText = (address: number | bigint): string =>
  typeof address === 'bigint' ? ipv6Text(address) : ipv4Text(address);

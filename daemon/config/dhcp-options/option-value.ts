// Writes the value of a DHCP option as bytes.
import { ipv4Text, netmask, parseIpv4 } from '../../lib/network/ipv4.ts';
import { ipv6Bytes, parseIpv6 } from '../../lib/network/ipv6.ts';
import type { OptionType } from './known-options.ts';

/** Why a value cannot be sent, as part of a sentence. */
export class UnusableValue extends Error {}

type Write = (text: string) => Uint8Array;

// a longer value would be split into several options, which old firmware does not join (RFC 3396)
const LONGEST = 255;

/** `text`: a value, or several separated by commas. Throws UnusableValue. */
export function valueBytes(type: OptionType, text: string): Uint8Array {
  const bytes = WRITERS[type](text);
  if (bytes.length >= 1 && bytes.length <= LONGEST) return bytes;
  throw new UnusableValue(`it has ${bytes.length} bytes; an option has 1 to ${LONGEST}`);
}

const integer =
  (size: 1 | 2 | 4, isSigned = false): Write =>
  (text) => {
    const bits = BigInt(size * 8);
    const [least, most] = isSigned ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [0n, 2n ** bits - 1n];
    const value = /^-?\d{1,10}$/.test(text) ? BigInt(text) : undefined;
    if (value === undefined || value < least || value > most)
      throw new UnusableValue(`${shown(text)} is not an integer from ${least} to ${most}`);
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(BigInt.asUintN(64, value));
    return bytes.subarray(8 - size);
  };

const address: Write = (text) => integer(4)(String(addressOf(text)));

function addressOf(text: string): number {
  const value = parseIpv4(text);
  if (value === undefined) throw new UnusableValue(`${shown(text)} is not an IPv4 address`);
  return value;
}

function ipv6Address(text: string): Uint8Array {
  const value = parseIpv6(text);
  if (value === undefined) throw new UnusableValue(`${shown(text)} is not an IPv6 address`);
  return ipv6Bytes(value);
}

/** A value of at most 255 bytes behind its length in two bytes. */
const prefixed: Write = (text) => {
  const bytes = plainText(text);
  if (bytes.length > LONGEST)
    throw new UnusableValue(`${shown(text)} has ${bytes.length} bytes; at most ${LONGEST} fit`);
  return Buffer.concat([Uint8Array.of(0, bytes.length), bytes]);
};

/** Sub-option 1 with its length of 16 bytes. */
const timeServer: Write = (text) => Buffer.concat([Uint8Array.of(0, 1, 0, 16), ipv6Address(text)]);

const listOf =
  (write: Write): Write =>
  (text) =>
    Buffer.concat(itemsOf(text).map(write));

const itemsOf = (text: string): readonly string[] => text.split(',').map((item) => item.trim());

function pairs(text: string): Uint8Array {
  if (itemsOf(text).length % 2 === 0) return listOf(address)(text);
  throw new UnusableValue(`${shown(text)} is not an even number of IPv4 addresses`);
}

function flag(text: string): Uint8Array {
  if (text === '0' || text === 'false') return Uint8Array.of(0);
  if (text === '1' || text === 'true') return Uint8Array.of(1);
  throw new UnusableValue(`${shown(text)} is neither true (1) nor false (0)`);
}

function plainText(text: string): Uint8Array {
  if (/\p{Cc}/u.test(text)) throw new UnusableValue(`${shown(text)} has control characters`);
  return Buffer.from(text);
}

function hex(text: string): Uint8Array {
  const digits = text.replaceAll(/[:\s]/g, '');
  if (digits.length % 2 === 0 && /^[0-9a-f]*$/i.test(digits)) return Buffer.from(digits, 'hex');
  throw new UnusableValue(`${shown(text)} is not bytes in hexadecimal, such as 01:04:0a:00:00:01`);
}

const LABEL = /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;
const LONGEST_NAME = 253;

/** Labels with their lengths, and a zero after the last one (RFC 1035). Names are not compressed: some clients cannot read that. */
function domain(text: string): Uint8Array {
  const labels = text.replace(/\.$/, '').split('.');
  if (text.length > LONGEST_NAME || !labels.every((label) => LABEL.test(label)))
    throw new UnusableValue(`${shown(text)} is not a domain name`);
  const parts = labels.flatMap((label) => [Uint8Array.of(label.length), Buffer.from(label)]);
  return Buffer.concat([...parts, Uint8Array.of(0)]);
}

/** Destinations and routers in turn, as in `10.0.0.0/8,10.1.0.1`. A destination has only its significant octets (RFC 3442). */
function routes(text: string): Uint8Array {
  const words = itemsOf(text);
  if (words.length % 2 !== 0)
    throw new UnusableValue(
      `${shown(text)} is not NETWORK/BITS,ROUTER for each route, as in 10.0.0.0/8,10.1.0.1`,
    );
  return Buffer.concat(words.map((word, index) => (index % 2 === 0 ? destination(word) : address(word))));
}

function destination(text: string): Uint8Array {
  const [network = '', length = '', ...more] = text.split('/');
  const bits = /^\d{1,2}$/.test(length) && more.length === 0 ? Number(length) : 33;
  if (bits > 32)
    throw new UnusableValue(`${shown(text)} is not a network with its prefix length, as in 10.0.0.0/8`);
  const value = addressOf(network);
  const start = (value & netmask(bits)) >>> 0;
  if (start !== value)
    throw new UnusableValue(`${shown(text)} has host bits; the network is ${ipv4Text(start)}/${bits}`);
  return Buffer.concat([Uint8Array.of(bits), address(network).subarray(0, Math.ceil(bits / 8))]);
}

const WRITERS: Readonly<Record<OptionType, Write>> = {
  ip: address,
  ips: listOf(address),
  ip6s: listOf(ipv6Address),
  'time-servers': listOf(timeServer),
  pairs,
  int32: integer(4, true),
  uint8: integer(1),
  uint16: integer(2),
  uint16s: listOf(integer(2)),
  uint32: integer(4),
  flag,
  text: plainText,
  domains: listOf(domain),
  routes,
  prefixed: listOf(prefixed),
  hex,
};

const shown = (text: string): string => JSON.stringify(text.slice(0, 100));

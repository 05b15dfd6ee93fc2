// The DHCP options that have a name, and the type of each: the table of the npm package dhcp, corrected where the RFCs say
// otherwise. Nothing else of the package is used.
import { opts as table } from 'dhcp/lib/options.js';

/**
 * How the value of an option is written as bytes. `pairs`: an even number of IPv4 addresses. `ip6s`: IPv6 addresses.
 * `time-servers`: IPv6 addresses as in RFC 5908. `domains`: RFC 3397. `routes`: RFC 3442. `prefixed`: texts, each with its length
 * before it (RFC 5970, 3.2). `hex`: the bytes themselves.
 */
export type OptionType =
  | 'ip'
  | 'ips'
  | 'ip6s'
  | 'time-servers'
  | 'pairs'
  | 'int32'
  | 'uint8'
  | 'uint16'
  | 'uint16s'
  | 'uint32'
  | 'flag'
  | 'text'
  | 'domains'
  | 'routes'
  | 'prefixed'
  | 'hex';

export interface KnownOption {
  readonly code: number;
  /** In lower case with hyphens: `interface-mtu`. */
  readonly name: string;
  readonly type: OptionType;
  /** The only numbers that the option may have; undefined: all of its type. */
  readonly choices: readonly number[] | undefined;
}

const TYPES: Readonly<Record<string, OptionType>> = {
  IP: 'ip',
  IPs: 'ips',
  Int32: 'int32',
  UInt8: 'uint8',
  UInt8s: 'hex',
  UInt16: 'uint16',
  UInt16s: 'uint16s',
  UInt32: 'uint32',
  ASCII: 'text',
  Bool: 'flag',
};

/** Types by code where the table has another: RFC 2132 (21, 33, 45, 68), RFC 3397, RFC 3442 and its predecessor 249. */
const CORRECTED: Readonly<Record<number, OptionType>> = {
  21: 'pairs',
  33: 'pairs',
  45: 'ips',
  68: 'ips',
  119: 'domains',
  121: 'routes',
  249: 'routes',
};

/** Options that the table lacks: RFC 4833, RFC 8910, RFC 5417, RFC 5859. */
const ADDED: readonly (readonly [code: number, name: string, type: OptionType])[] = [
  [100, 'posix-timezone', 'text'],
  [101, 'tz-timezone', 'text'],
  [114, 'captive-portal', 'text'],
  [138, 'capwap-ac', 'ips'],
  [150, 'tftp-server-address', 'ips'],
];

/** The form in which names are compared: `Interface MTU` is `interface-mtu`. */
export const optionName = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('+', '-plus-')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

const listed = Object.entries(table).flatMap(([text, { name, type = '', enum: choices }]): KnownOption[] => {
  const code = Number(text);
  const known = CORRECTED[code] ?? TYPES[type];
  if (known === undefined || !(code >= 1 && code <= 254)) return [];
  const numbers = choices === undefined ? undefined : Object.keys(choices).map(Number);
  if (numbers?.join() === '0,1') return [{ code, name: optionName(name), type: 'flag', choices: undefined }];
  return [{ code, name: optionName(name), type: known, choices: numbers }];
});

export const knownOptions: readonly KnownOption[] = [
  ...listed,
  ...ADDED.map(([code, name, type]) => ({ code, name, type, choices: undefined })),
].toSorted((a, b) => a.code - b.code);

/** Why an option cannot be set, by code: the daemon or the client decides its value. */
export const decidedOptions: ReadonlyMap<number, string> = new Map([
  ...[1, 28].map((code) => [code, 'the daemon sends what follows from the subnet'] as const),
  ...[51, 58, 59].map((code) => [code, 'set [dhcp_server] lease_time'] as const),
  ...[52, 53, 54, 56].map((code) => [code, 'the daemon sets it in each message'] as const),
  ...[50, 55, 57, 61, 77, 80, 93, 94, 97, 118].map((code) => [code, 'only clients send it'] as const),
  [82, 'only relays send it'],
  [90, 'it authenticates messages, which the daemon does not do'],
  [175, 'the daemon tells iPXE what it needs'],
]);

/** The word of `[dhcp_server] subnet` that sets the option. */
export const subnetWords: ReadonlyMap<number, string> = new Map([
  [3, 'router'],
  [6, 'dns'],
  [15, 'domain'],
  [42, 'ntp'],
]);

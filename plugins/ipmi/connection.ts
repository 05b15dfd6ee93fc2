// Reads and checks the connection settings of a BMC in a node's driver_info, for ipmitool.
import { isIPv6 } from 'node:net';
import {
  canonicalIp,
  driverInfoChoice,
  driverInfoInteger,
  driverInfoText,
  fault,
  invalidDriverInfo,
  type Node,
  requireDriverInfo,
} from '#plugin-api';
import {
  bridgings,
  connectionProperties,
  privilegeLevels,
  protocolVersions,
} from './connection-properties.ts';
import { isOctet } from './octet.ts';

export interface IpmiConnection {
  /** A canonical IP address or a host name. */
  readonly host: string;
  readonly port: number;
  /** ipmitool's interface: `lanplus` for IPMI 2.0, `lan` for 1.5. */
  readonly interface: 'lanplus' | 'lan';
  /** Empty: the user that has no name. */
  readonly username: string;
  readonly password: string;
  readonly privilegeLevel: (typeof privilegeLevels)[number];
  /** The cipher suites in the order in which they are tried. Empty: ipmitool negotiates one; IPMI 1.5 has none. */
  readonly cipherSuites: readonly string[];
  /** The Kg key without trailing zero octets; empty: no key. */
  readonly kgKey: Buffer;
  /** The arguments of ipmitool for bridging. */
  readonly bridging: readonly string[];
}

/** Throws DriverInfoMissing, DriverInfoInvalid, or Invalid when `[ipmi] cipher_suite_versions` is wrong. */
export function connectionOf(node: Node, cipherSuiteVersions: readonly string[]): IpmiConnection {
  requireDriverInfo(node, connectionProperties);
  const version = driverInfoChoice(node, 'ipmi_protocol_version', protocolVersions, '2.0');
  return {
    host: hostOf(node),
    port: driverInfoInteger(node, 'ipmi_port', { minimum: 1, maximum: 65_535, otherwise: 623 }),
    interface: version === '2.0' ? 'lanplus' : 'lan',
    username: usernameOf(node),
    password: passwordOf(node, version === '2.0' ? 20 : 16),
    privilegeLevel: driverInfoChoice(node, 'ipmi_priv_level', privilegeLevels, 'ADMINISTRATOR'),
    cipherSuites: version === '2.0' ? cipherSuitesOf(node, cipherSuiteVersions) : [],
    kgKey: kgKeyOf(node),
    bridging: bridgingOf(node),
  };
}

/** Returns the one URL by which a BMC is known: `ipmi://192.0.2.1:623`, `ipmi://[2001:db8::1]:623`. */
export function bmcUrl({ host, port }: IpmiConnection): string {
  return `ipmi://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

const LABEL = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/;

function isHostName(text: string): boolean {
  const labels = text.split('.');
  return (
    text.length <= 253 &&
    labels.every((label) => label.length <= 63 && LABEL.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  );
}

function hostOf(node: Node): string {
  const text = driverInfoText(node, 'ipmi_address', '').replace(/^\[(.*)\]$/, '$1');
  const host = isIPv6(text) && text.includes('%') ? text : (canonicalIp(text) ?? text.toLowerCase());
  if (canonicalIp(host) === undefined && !isHostName(host)) {
    throw invalidDriverInfo(node, 'ipmi_address', 'an IP address or a host name');
  }
  return host;
}

const isPrintable = (text: string) => !/\p{Cc}/u.test(text);

function usernameOf(node: Node): string {
  const username = driverInfoText(node, 'ipmi_username', '');
  if (Buffer.byteLength(username) > 16 || !isPrintable(username)) {
    throw invalidDriverInfo(node, 'ipmi_username', 'at most 16 bytes without control characters');
  }
  return username;
}

/** ipmitool would silently cut a longer password, and end the password at a control character. */
function passwordOf(node: Node, longest: number): string {
  const password = secretOf(node, 'ipmi_password');
  if (Buffer.byteLength(password) > longest || !isPrintable(password)) {
    throw invalidSecret(
      node,
      'ipmi_password',
      `at most ${longest} bytes (the limit of this IPMI version) without control characters`,
    );
  }
  return password;
}

/** ipmitool reads the key as a line of text, so a key with NUL or a line feed could only be passed in its argument list. */
function kgKeyOf(node: Node): Buffer {
  const text = secretOf(node, 'ipmi_hex_kg_key');
  if (text !== '' && !/^[0-9a-f]{40}$/i.test(text)) {
    throw invalidSecret(node, 'ipmi_hex_kg_key', '40 hexadecimal digits');
  }
  const octets = Buffer.from(text, 'hex');
  const key = octets.subarray(0, octets.findLastIndex((octet) => octet !== 0x00) + 1);
  if (key.includes(0x00) || key.includes(0x0a)) {
    throw invalidSecret(
      node,
      'ipmi_hex_kg_key',
      'a key without the octets 00 (except at its end) and 0a, because ipmitool accepts a key with them only in its argument list, which every local user can read; set another key in the BMC',
    );
  }
  return key;
}

function secretOf(node: Node, name: string): string {
  const value = node.driver_info[name] ?? '';
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw invalidSecret(node, name, 'a string');
}

const invalidSecret = (node: Node, name: string, expected: string) =>
  fault('DriverInfoInvalid', { node: node.uuid, name, value: '******', expected });

const CIPHER_SUITE = /^(?:[1-9]|1[0-7])$/;
const SUITE_EXPECTED =
  'a cipher suite from 1 to 17, usually 17 or 3 (suite 0 would accept any login without a password)';

function cipherSuitesOf(node: Node, versions: readonly string[]): readonly string[] {
  const wrong = versions.find((suite) => !CIPHER_SUITE.test(suite));
  if (wrong !== undefined) {
    throw fault('Invalid', {
      reason: `[ipmi] cipher_suite_versions has "${wrong}". Expected ${SUITE_EXPECTED}.`,
    });
  }
  const suite = driverInfoText(node, 'ipmi_cipher_suite', '');
  if (suite === '') return versions.toReversed();
  if (!CIPHER_SUITE.test(suite)) throw invalidDriverInfo(node, 'ipmi_cipher_suite', SUITE_EXPECTED);
  return [suite];
}

const bridgingFields = {
  no: [],
  single: ['ipmi_target_channel', 'ipmi_target_address'],
  dual: ['ipmi_transit_channel', 'ipmi_transit_address', 'ipmi_target_channel', 'ipmi_target_address'],
} as const;

const bridgingOptions = {
  ipmi_local_address: '-m',
  ipmi_transit_channel: '-B',
  ipmi_transit_address: '-T',
  ipmi_target_channel: '-b',
  ipmi_target_address: '-t',
} as const;

function bridgingOf(node: Node): readonly string[] {
  const bridging = driverInfoChoice(node, 'ipmi_bridging', bridgings, 'no');
  if (bridging === 'no') return [];
  const required = bridgingFields[bridging];
  requireDriverInfo(
    node,
    Object.fromEntries(required.map((name) => [name, { ...connectionProperties[name], required: true }])),
  );
  const isLocalGiven = driverInfoText(node, 'ipmi_local_address', '') !== '';
  const given = isLocalGiven ? (['ipmi_local_address', ...required] as const) : required;
  return given.flatMap((name) => [bridgingOptions[name], octetOf(node, name)]);
}

function octetOf(node: Node, name: string): string {
  const text = driverInfoText(node, name, '');
  if (!isOctet(text))
    throw invalidDriverInfo(node, name, 'a number from 0 to 255, decimal or hexadecimal such as 0x20');
  return text;
}

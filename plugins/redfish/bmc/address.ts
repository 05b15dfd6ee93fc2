// Reads redfish_address.
import { invalidDriverInfo, type Node } from '#plugin-api';

export interface BmcAddress {
  /** Scheme, host and port. */
  readonly address: string;
  /** The path of the service root, as in /redfish/v1. */
  readonly root: string;
}

const SERVICE = '/redfish/v1';
const EXPECTED = 'an http or https URL without user, query and fragment, as in https://192.0.2.1';

/** Throws DriverInfoInvalid. */
export function bmcAddress(node: Node): BmcAddress {
  const given = node.driver_info['redfish_address'];
  const url = typeof given === 'string' ? URL.parse(withScheme(given)) : null;
  if (url === null || !isPlain(url)) throw invalidDriverInfo(node, 'redfish_address', EXPECTED);
  return { address: url.origin, root: rootIn(url.pathname) };
}

const isPlain = ({ protocol, username, password, search, hash }: URL): boolean =>
  ['http:', 'https:'].includes(protocol) && `${username}${password}${search}${hash}` === '';

/** Adds https:// to an address without a scheme, and brackets to a bare IPv6 address. */
function withScheme(given: string): string {
  if (given.includes('://')) return given;
  const isIpv6 = given.split(':').length > 2 && !given.includes('[') && !given.includes('/');
  return `https://${isIpv6 ? `[${given}]` : given}`;
}

function rootIn(path: string): string {
  const plain = path.endsWith('/') ? path.slice(0, -1) : path;
  return plain.endsWith(SERVICE) ? plain : `${plain}${SERVICE}`;
}

// Finds the addresses of a node's BMC. If a ramdisk reports only unknown MAC addresses, the BMC address that it reports
// identifies the node.
import { lookup } from 'node:dns/promises';
import { canonicalIp, isHostAddress, reasonOf } from '#plugin-api';

/** Resolves to the IP addresses of a host name; rejects when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export const resolveHost: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Returns the canonical IP addresses of these hosts, and the host names themselves. Loopback and unspecified addresses do not
 * identify a BMC: omits them, and each name that has only such addresses. Also omits each name that does not resolve, and passes
 * a warning about it to `warn`.
 */
export async function bmcAddresses(
  hosts: readonly string[],
  resolve: Resolve,
  warn: (message: string) => void,
): Promise<string[]> {
  const found = new Set<string>();
  for (const host of hosts) {
    for (const address of await addressesOf(host, resolve, warn)) found.add(address);
  }
  return [...found];
}

async function addressesOf(host: string, resolve: Resolve, warn: (message: string) => void) {
  const literal = canonicalIp(host);
  if (literal !== undefined) return isHostAddress(literal) ? [literal] : [];
  try {
    const resolved = (await resolve(host)).map(canonicalIp);
    const addresses = resolved.filter((address) => address !== undefined).filter(isHostAddress);
    return addresses.length > 0 ? [host, ...addresses] : [];
  } catch (error) {
    warn(
      `The BMC host name ${host} cannot be resolved (${reasonOf(error)}); inspection cannot identify the machine by the addresses of this name.`,
    );
    return [];
  }
}

// Which addresses the daemon connects to. API clients give URLs to the daemon, and so do ramdisks, which do not log in. Neither
// may direct the daemon's requests at services of this host.
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { GuardedRoute } from '../http-client/connection.ts';
import { canonicalIp, isInSubnet, specialUse } from './ip.ts';

/** Returns why the address is refused, or undefined if it is allowed. */
export type AddressRule = (address: string) => string | undefined;

/** `networks`: the allowed networks. An empty list allows all addresses except special ones and those of this host (`own`). */
export function addressRule(networks: readonly string[], own = ownAddresses): AddressRule {
  return (address) => {
    const canonical = canonicalIp(address);
    if (canonical === undefined) return `${address} is not an IP address`;
    if (networks.length > 0) {
      const isListed = networks.some((network) => isInSubnet(canonical, network));
      return isListed ? undefined : `${address} is not in ${networks.join(', ')}`;
    }
    const use = specialUse(canonical);
    if (use !== undefined) return `${address} is a ${use} address`;
    return own().includes(canonical) ? `${address} is an address of the daemon's own host` : undefined;
  };
}

const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => canonicalIp(address) ?? address),
  );

/** Returns why the rule refuses the URL's host. Names pass; their addresses are checked when they are resolved. */
export function refusedHost(url: string, rule: AddressRule): string | undefined {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? undefined : rule(host);
}

/** Connects an HTTP client only to addresses that the rule allows. `option`: the option that sets the rule, for messages. */
export const guardedRoute = (rule: AddressRule, option: string): GuardedRoute => ({
  kind: 'guarded',
  lookup: guardedLookup(rule, option),
  refusal(url) {
    const refusal = refusedHost(url, rule);
    return refusal && `${refusal} (${option})`;
  },
});

/** Resolves a name to the addresses that the rule allows; fails if there are none. */
function guardedLookup(rule: AddressRule, option: string): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const admitted = addresses.filter(({ address }) => rule(address) === undefined);
      const [first] = admitted;
      if (first === undefined) {
        const reasons = addresses.map(({ address }) => rule(address)).join(', ');
        return callback(new Error(`${hostname} is refused (${option}): ${reasons}`), []);
      }
      return options.all === true ? callback(null, admitted) : callback(null, first.address, first.family);
    });
}

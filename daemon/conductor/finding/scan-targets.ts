// Which addresses a scan asks: those of networks that the operator named, and not too many.
import { isSubnet } from '../../lib/network/ip.ts';
import { subnetHosts, isSubnetOf } from '../../lib/network/subnet-hosts.ts';
import { fault } from '../../model/faults.ts';
import { findingLimits } from '../limits.ts';

/** Returns the networks that a scan is asked for, or all that are allowed. Throws a fault that names what to change. */
export function requestedNetworks(allowed: readonly string[], given: readonly unknown[]): readonly string[] {
  if (allowed.length === 0) throw fault('BmcNetworksNotSet', {});
  const networks = given.length === 0 ? allowed : given.map((each) => networkIn(each));
  for (const network of networks)
    if (!allowed.some((outer) => isSubnetOf(network, outer)))
      throw fault('OutsideBmcNetworks', { network, networks: allowed.join(', ') });
  const { tooMany } = scannable(networks);
  if (tooMany.length > 0)
    throw fault('ScanTooLarge', {
      networks: tooMany.join(', '),
      four: findingLimits.scanned.ipv4,
      six: findingLimits.scanned.ipv6,
    });
  return networks;
}

function networkIn(given: unknown): string {
  if (typeof given === 'string' && isSubnet(given)) return given;
  const reason = `${JSON.stringify(given)} is not a network. Expected one as 10.0.9.0/24, or an address`;
  throw fault('InvalidParameter', { name: 'networks', reason });
}

/** Divides networks into those that one scan may ask, and those with which it would ask too many addresses. */
export function scannable(networks: readonly string[]) {
  const left: { ipv4: number; ipv6: number } = { ...findingLimits.scanned };
  const { within = [], tooMany = [] } = Object.groupBy(networks, (network) => {
    const { family, count } = subnetHosts(network);
    if (count > left[family]) return 'tooMany';
    left[family] -= count;
    return 'within';
  });
  return { within, tooMany };
}

/** Returns each address once. */
export const scannedAddresses = (networks: readonly string[]): readonly string[] => [
  ...new Set(networks.flatMap((network) => [...subnetHosts(network).addresses()])),
];

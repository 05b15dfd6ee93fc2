// The subnets of [dhcp_server] as they are now: what they lack to be served, and how full their pools are.
import { hostInterface } from '../../boot/dhcp/bound-socket.ts';
import { addressIn, configuredSubnets } from '../../boot/dhcp/configured-subnets.ts';
import { type DhcpSubnet, isInDhcpSubnet } from '../../config/dhcp-subnet.ts';
import type { Config } from '../../config/sections/core-sections.ts';
import type { LeaseRecord } from '../../db/tables/boot/dhcp-leases.ts';
import { ipv4Text, parseIpv4 } from '../../lib/network/ipv4.ts';

export interface ServedSubnet {
  /** `10.0.0.0/24`. */
  readonly cidr: string;
  /** The network interface of this host in the subnet; undefined where relays forward the requests. */
  readonly interface: string | undefined;
  /** This host's address in the subnet; undefined while it has none, and for relays. */
  readonly address: string | undefined;
  /** What the interface lacks, as a sentence without its full stop. */
  readonly missing: string | undefined;
  /** The ranges as texts: `10.0.0.50-10.0.0.250`. */
  readonly ranges: readonly string[];
  /** The number of addresses in the ranges. */
  readonly size: number;
  /** How many of them machines have. */
  readonly leased: number;
  /** How many of them no machine gets for now, because another host uses them. */
  readonly setAside: number;
}

/** `leases`: those that have not expired. */
export function servedSubnets(
  config: Pick<Config['dhcp_server'], 'subnet' | 'options' | 'mode'>,
  leases: readonly LeaseRecord[],
): readonly ServedSubnet[] {
  const held = leases.map(({ address, mac }) => ({ mac, address: parseIpv4(address) ?? 0 }));
  return configuredSubnets(config).map((subnet) => {
    const inPool = held.filter(({ address }) => isInPool(address, subnet));
    const leased = inPool.filter(({ mac }) => mac !== null).length;
    return {
      cidr: subnet.cidr,
      interface: subnet.interface,
      ...placeOf(subnet),
      ranges: subnet.ranges.map(({ first, last }) => `${ipv4Text(first)}-${ipv4Text(last)}`),
      size: subnet.ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0),
      leased,
      setAside: inPool.length - leased,
    };
  });
}

const isInPool = (address: number, subnet: DhcpSubnet): boolean =>
  isInDhcpSubnet(address, subnet) &&
  subnet.ranges.some(({ first, last }) => address >= first && address <= last);

function placeOf(subnet: DhcpSubnet): Pick<ServedSubnet, 'address' | 'missing'> {
  if (subnet.interface === undefined) return { address: undefined, missing: undefined };
  const found = hostInterface(subnet.interface);
  const address = typeof found === 'string' ? found : addressIn(found, [subnet]);
  return typeof address === 'string'
    ? { address: undefined, missing: address }
    : { address: ipv4Text(address), missing: undefined };
}

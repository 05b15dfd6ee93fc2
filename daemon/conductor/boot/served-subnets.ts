// The subnets of [dhcp_server] as they are now: what they lack to be served, and how full their pools are.
import { hostInterface } from '../../boot/dhcp/bound-socket.ts';
import { addressIn, configuredIpv6Subnets, configuredSubnets } from '../../boot/dhcp/configured-subnets.ts';
import { type IpNumber, isInDhcpSubnet, type SubnetOf } from '../../config/dhcp-subnet.ts';
import type { Config } from '../../config/sections/core-sections.ts';
import type { LeaseRecord } from '../../db/tables/boot/dhcp-leases.ts';
import { ipText, parseIp } from '../../lib/network/ipv6.ts';

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

/** The IPv4 subnets before the IPv6 subnets. `leases`: those of both families that have not expired. */
export function servedSubnets(
  config: Pick<Config['dhcp_server'], 'subnet' | 'options' | 'mode'>,
  leases: readonly LeaseRecord[],
): readonly ServedSubnet[] {
  const held = leases.map(({ address, mac }) => ({ mac, address: parseIp(address) }));
  const described = <A extends IpNumber>(subnet: SubnetOf<A>, family: 'IPv4' | 'IPv6'): ServedSubnet => {
    const inPool = held.filter(({ address }) => address !== undefined && isInPool(address, subnet));
    const leased = inPool.filter(({ mac }) => mac !== null).length;
    return {
      cidr: subnet.cidr,
      interface: subnet.interface,
      ...placeOf(subnet, family),
      ranges: subnet.ranges.map(({ first, last }) => `${ipText(first)}-${ipText(last)}`),
      size: subnet.ranges.reduce((sum, { first, last }) => sum + Number(BigInt(last) - BigInt(first)) + 1, 0),
      leased,
      setAside: inPool.length - leased,
    };
  };
  return [
    ...configuredSubnets(config).map((subnet) => described(subnet, 'IPv4')),
    ...configuredIpv6Subnets(config).map((subnet) => described(subnet, 'IPv6')),
  ];
}

const isInPool = (address: IpNumber, subnet: SubnetOf<IpNumber>): boolean =>
  typeof address === typeof subnet.network &&
  isInDhcpSubnet(address, subnet) &&
  subnet.ranges.some(({ first, last }) => address >= first && address <= last);

function placeOf<A extends IpNumber>(
  subnet: SubnetOf<A>,
  family: 'IPv4' | 'IPv6',
): Pick<ServedSubnet, 'address' | 'missing'> {
  if (subnet.interface === undefined) return { address: undefined, missing: undefined };
  const found = hostInterface(subnet.interface, family);
  const address = typeof found === 'string' ? found : addressIn(found, [subnet]);
  return typeof address === 'string'
    ? { address: undefined, missing: address }
    : { address: ipText(address), missing: undefined };
}

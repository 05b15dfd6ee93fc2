// The subnets of [dhcp_server], checked together.
import type { Config } from '../../config/sections/core-sections.ts';
import { withOptions } from '../../config/dhcp-options/subnets-with-options.ts';
import {
  type Dhcp6Subnet,
  type DhcpSubnet,
  type IpNumber,
  isInDhcpSubnet,
  readDhcp6Subnet,
  readDhcpSubnet,
  type SubnetOf,
} from '../../config/dhcp-subnet.ts';
import { parseIp } from '../../lib/network/ipv6.ts';
import type { HostInterface } from './bound-socket.ts';

/**
 * The IPv4 subnets. Throws an Error when two subnets overlap or name the same interface, when mode is server and a subnet has no range, when mode
 * is proxy and no subnet names an interface, and like `withOptions`.
 */
export function configuredSubnets(
  config: Pick<Config['dhcp_server'], 'subnet' | 'options' | 'mode'>,
): readonly DhcpSubnet[] {
  const subnets = config.subnet.flatMap((text) => {
    const reading = readDhcpSubnet(text);
    // the configuration has already refused subnets that cannot be read
    return reading.kind === 'read' ? [reading.value] : [];
  });
  if (config.mode === 'proxy' && subnets.length > 0 && isOnlyRelayed(subnets))
    throw problem(subnets[0], 'name the network interface that requests arrive at: interface=NAME');
  for (const [index, subnet] of subnets.entries()) {
    if (config.mode === 'server' && subnet.ranges.length === 0)
      throw problem(subnet, 'mode = server needs range=FIRST-LAST');
    for (const other of subnets.slice(0, index)) checkApart(subnet, other);
  }
  return withOptions(subnets, config);
}

/**
 * The IPv6 subnets. Throws an Error when two subnets overlap or name the same interface, when mode is proxy, and like `withOptions`.
 */
export function configuredIpv6Subnets(
  config: Pick<Config['dhcp_server'], 'subnet' | 'options' | 'mode'>,
): readonly Dhcp6Subnet[] {
  const subnets = config.subnet.flatMap((text) => {
    const reading = readDhcp6Subnet(text);
    return reading.kind === 'read' ? [reading.value] : [];
  });
  for (const [index, subnet] of subnets.entries()) {
    if (config.mode === 'proxy')
      throw problem(
        subnet,
        'mode = proxy is of IPv4 only, because DHCPv6 has no ProxyDHCP; take the subnet out, and let the other server name the boot files',
      );
    for (const other of subnets.slice(0, index)) checkApart(subnet, other);
  }
  return withOptions(subnets, config);
}

/** Whether all requests come from relays: no subnet is on an interface of this host. */
export const isOnlyRelayed = (subnets: readonly Pick<DhcpSubnet, 'interface'>[]): boolean =>
  subnets.every((subnet) => subnet.interface === undefined);

const problem = (subnet: Pick<DhcpSubnet, 'cidr'> | undefined, what: string): Error =>
  new Error(`[dhcp_server] subnet = ${subnet?.cidr}: ${what}.`);

function checkApart<A extends IpNumber>(subnet: SubnetOf<A>, other: SubnetOf<A>): void {
  if (isInDhcpSubnet(subnet.network, other) || isInDhcpSubnet(other.network, subnet))
    throw problem(subnet, `it overlaps ${other.cidr}`);
  if (subnet.interface !== undefined && subnet.interface === other.interface)
    throw problem(
      subnet,
      `interface ${subnet.interface} already has ${other.cidr}, and an interface can serve only one subnet`,
    );
}

/**
 * Returns the address that the server has in the subnet of the interface; if it has none, the reason, as a sentence without its
 * full stop.
 */
export function addressIn<A extends IpNumber>(
  { name, addresses }: HostInterface,
  subnets: readonly SubnetOf<A>[],
): A | string {
  const subnet = subnets.find((each) => each.interface === name);
  const own = addresses
    // addresses and subnets are of one family
    .map((text) => parseIp(text) as A)
    .find((address) => subnet !== undefined && isInDhcpSubnet(address, subnet));
  return (
    own ??
    `${name} has no address in ${subnet?.cidr} (it has ${addresses.join(', ')}); give it one, or correct [dhcp_server] subnet`
  );
}

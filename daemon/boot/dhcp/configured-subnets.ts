// The subnets of [dhcp_server], checked together.
import type { Config } from '../../config/sections/core-sections.ts';
import { type DhcpSubnet, isInDhcpSubnet, readDhcpSubnet } from '../../config/dhcp-subnet.ts';
import { parseIpv4 } from '../../lib/network/ipv4.ts';
import type { HostInterface } from './bound-socket.ts';

/**
 * Throws an Error when two subnets overlap or name the same interface, when no subnet names an interface, or when mode is server
 * and a subnet has no range.
 */
export function configuredSubnets(
  config: Pick<Config['dhcp_server'], 'subnet' | 'mode'>,
): readonly DhcpSubnet[] {
  const subnets = config.subnet.flatMap((text) => {
    const reading = readDhcpSubnet(text);
    // the configuration has already refused subnets that cannot be read
    return reading.kind === 'read' ? [reading.value] : [];
  });
  if (subnets.length > 0 && subnets.every((subnet) => subnet.interface === undefined))
    throw problem(subnets[0], 'name the network interface that requests arrive at: interface=NAME');
  for (const [index, subnet] of subnets.entries()) {
    if (config.mode === 'server' && subnet.ranges.length === 0)
      throw problem(subnet, 'mode = server needs range=FIRST-LAST');
    for (const other of subnets.slice(0, index)) checkApart(subnet, other);
  }
  return subnets;
}

const problem = (subnet: DhcpSubnet | undefined, what: string): Error =>
  new Error(`[dhcp_server] subnet = ${subnet?.cidr}: ${what}.`);

function checkApart(subnet: DhcpSubnet, other: DhcpSubnet): void {
  if (isInDhcpSubnet(subnet.network, other) || isInDhcpSubnet(other.network, subnet))
    throw problem(subnet, `it overlaps ${other.cidr}`);
  if (subnet.interface !== undefined && subnet.interface === other.interface)
    throw problem(
      subnet,
      `interface ${subnet.interface} already has ${other.cidr}, and an interface can serve only one subnet`,
    );
}

/** Returns the address that the server has in the subnet of the interface. Throws an Error when it has none. */
export function addressIn({ name, addresses }: HostInterface, subnets: readonly DhcpSubnet[]): number {
  const subnet = subnets.find((each) => each.interface === name);
  const own = addresses
    .map((text) => parseIpv4(text) ?? 0)
    .find((address) => subnet !== undefined && isInDhcpSubnet(address, subnet));
  if (own !== undefined) return own;
  const has = addresses.join(', ');
  throw problem(
    subnet,
    `interface ${name} has no address in this subnet (it has ${has}); give it one, or correct the subnet`,
  );
}

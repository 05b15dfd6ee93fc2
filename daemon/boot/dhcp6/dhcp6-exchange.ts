// A machine's DHCPv6 request, together with everything that the answer depends on.
import { type Dhcp6Subnet, isInDhcpSubnet } from '../../config/dhcp-subnet.ts';
import { ipv6Text, isGlobalUnicast } from '../../lib/network/ipv6.ts';
import type { BootChoice } from '../boot-choice.ts';
import type { Client } from '../dhcp/client.ts';
import { type DhcpSite, reasonForSilence } from '../dhcp/exchange.ts';
import type { KnownMachine } from '../dhcp/known-machines.ts';
import type { RelayedDhcp6 } from './dhcp6-wire.ts';

export interface Dhcp6Exchange extends RelayedDhcp6 {
  readonly client: Client;
  readonly machine: KnownMachine | undefined;
  readonly subnet: Dhcp6Subnet | undefined;
  readonly boot: BootChoice | undefined;
}

export interface Dhcp6Site extends Omit<DhcpSite, 'subnets'> {
  readonly subnets: readonly Dhcp6Subnet[];
}

/** The network interface at which a request arrived; the name is empty where only relays are served. */
export interface Dhcp6Arrival {
  readonly name: string;
  readonly address: bigint;
}

export function dhcp6ExchangeOf(
  site: Dhcp6Site,
  at: Dhcp6Arrival,
  { message, relays }: RelayedDhcp6,
  client: Client,
): Dhcp6Exchange {
  const machine = site.machines.byMac(client.mac);
  const link = linkOfRelays(relays);
  const subnet = site.subnets.find((each) =>
    link === undefined ? relays.length === 0 && each.interface === at.name : isInDhcpSubnet(link, each),
  );
  const mayBoot = client.stage !== 'os' && reasonForSilence(site, client, { machine, subnet }) === undefined;
  const boot = mayBoot
    ? site.bootFor({ client, node: machine?.node, serverAddress: ipv6Text(at.address) })
    : undefined;
  return { message, relays, client, machine, subnet, boot };
}

/** An address of the network that the client is on, from the relay nearest to it that names one; undefined without such a relay. */
export const linkOfRelays = (relays: RelayedDhcp6['relays']): bigint | undefined =>
  relays.findLast(({ link }) => isGlobalUnicast(link))?.link;

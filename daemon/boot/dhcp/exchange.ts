// A machine's request, together with everything that the answer depends on.
import { type DhcpSubnet, isInDhcpSubnet } from '../../config/dhcp-subnet.ts';
import { ipv4Text } from '../../lib/network/ipv4.ts';
import type { BootChoice, BootFor } from '../boot-choice.ts';
import type { BootLoops } from '../boot-loops.ts';
import type { Client } from './client.ts';
import type { KnownMachine, KnownMachines } from './known-machines.ts';
import type { DhcpMessage } from './wire.ts';

export interface Exchange {
  readonly request: DhcpMessage;
  readonly client: Client;
  readonly machine: KnownMachine | undefined;
  readonly subnet: DhcpSubnet | undefined;
  readonly boot: BootChoice | undefined;
}

/** What the answers depend on besides the request. */
export interface Site {
  readonly subnets: readonly DhcpSubnet[];
  readonly machines: KnownMachines;
  readonly bootFor: BootFor;
  /** Whether machines without a port are served now. */
  readonly servesUnknown: () => boolean;
  readonly loops: Pick<BootLoops, 'isPaused'>;
}

/** The network interface at which a request arrived. */
export interface Arrival {
  readonly name: string;
  readonly address: number;
}

export function exchangeOf(site: Site, at: Arrival, request: DhcpMessage, client: Client): Exchange {
  const machine = site.machines.byMac(client.mac);
  const mayBoot = client.stage !== 'os' && refusalOf(site, client, machine) === undefined;
  const boot = mayBoot
    ? site.bootFor({ client, node: machine?.node, serverAddress: ipv4Text(at.address) })
    : undefined;
  return { request, client, machine, subnet: subnetOf(site.subnets, at, request), boot };
}

/** Why the machine gets no answer, whatever it asks; undefined when there is no such reason. */
export function refusalOf(
  { servesUnknown, loops }: Pick<Site, 'servesUnknown' | 'loops'>,
  { stage, mac }: Client,
  machine: KnownMachine | undefined,
): string | undefined {
  if (machine === undefined) {
    if (!servesUnknown()) return 'no port has this MAC address';
    return stage !== 'os' && loops.isPaused(mac) ? 'it is in a boot loop' : undefined;
  }
  if (machine.handedTo !== null) return `its node was handed over to ${machine.handedTo}`;
  return stage === 'os' || machine.pxeEnabled ? undefined : 'pxe_enabled of its port is false';
}

/**
 * The subnet that the request is about: the subnet of the relay; that of the client's address, when the client renews its lease
 * without the relay; or that of this interface.
 */
function subnetOf(
  subnets: readonly DhcpSubnet[],
  { name }: Arrival,
  { relay, clientAddress }: DhcpMessage,
): DhcpSubnet | undefined {
  if (relay !== 0) return subnets.find((subnet) => isInDhcpSubnet(relay, subnet));
  return (
    subnets.find((subnet) => isInDhcpSubnet(clientAddress, subnet)) ??
    subnets.find((subnet) => subnet.interface === name)
  );
}

// A machine's request, together with everything that the answer depends on.
import { type DhcpSubnet, isInDhcpSubnet } from '../../config/dhcp-subnet.ts';
import { ipv4Text } from '../../lib/network/ipv4.ts';
import type { BootChoice, BootFor } from '../boot-choice.ts';
import type { BootLoops } from '../boot-loops.ts';
import type { Client } from './client.ts';
import type { KnownMachine, KnownMachines } from './known-machines.ts';
import { linkOf } from './requests/relay-agent.ts';
import type { DhcpMessage } from './wire.ts';

export interface Exchange {
  readonly request: DhcpMessage;
  readonly client: Client;
  readonly machine: KnownMachine | undefined;
  readonly subnet: DhcpSubnet | undefined;
  readonly boot: BootChoice | undefined;
}

/** What the answers depend on besides the request. */
export interface DhcpSite {
  readonly subnets: readonly DhcpSubnet[];
  readonly machines: KnownMachines;
  readonly bootFor: BootFor;
  /** Whether machines without a port are served now. */
  readonly servesUnknown: () => boolean;
  /** Whether a node waits for an inspection report. Its machine may be any machine without a port, so none is in a pause then. */
  readonly awaitsReport: () => boolean;
  readonly loops: Pick<BootLoops, 'isPaused'>;
  /** Whether the subnet is one of BMCs, which get addresses without a port. */
  readonly isForBmcs: (subnet: Pick<DhcpSubnet, 'cidr'>) => boolean;
}

/** The network interface at which a request arrived. */
export interface Arrival {
  readonly name: string;
  readonly address: number;
}

export function exchangeOf(site: DhcpSite, at: Arrival, request: DhcpMessage, client: Client): Exchange {
  const machine = site.machines.byMac(client.mac);
  const subnet = subnetOf(site.subnets, at, request);
  const mayBoot = client.stage !== 'os' && reasonForSilence(site, client, { machine, subnet }) === undefined;
  const boot = mayBoot
    ? site.bootFor({ client, node: machine?.node, serverAddress: ipv4Text(at.address) })
    : undefined;
  return { request, client, machine, subnet, boot };
}

/** Why the machine gets no answer, whatever it asks; undefined when there is no such reason. */
export function reasonForSilence(
  site: Pick<DhcpSite, 'servesUnknown' | 'awaitsReport' | 'loops' | 'isForBmcs'>,
  client: Client,
  { machine, subnet }: Pick<Exchange, 'machine'> & { readonly subnet: Pick<DhcpSubnet, 'cidr'> | undefined },
): string | undefined {
  const { stage } = client;
  const isPerhapsBmc = stage === 'os' && subnet !== undefined && site.isForBmcs(subnet);
  if (machine === undefined) return isPerhapsBmc ? undefined : reasonWithoutPort(site, client);
  if (machine.handedTo !== null) return `its node was handed over to ${machine.handedTo}`;
  return stage === 'os' || machine.pxeEnabled ? undefined : 'pxe_enabled of its port is false';
}

function reasonWithoutPort(
  { servesUnknown, awaitsReport, loops }: Pick<DhcpSite, 'servesUnknown' | 'awaitsReport' | 'loops'>,
  { stage, mac }: Client,
): string | undefined {
  if (!servesUnknown()) return 'no port has this MAC address';
  return stage !== 'os' && loops.isPaused(mac) && !awaitsReport() ? 'it is in a boot loop' : undefined;
}

/**
 * The subnet that the request is about: the one that the relay names; that of the client's address, when the client renews its
 * lease without the relay; or that of this interface.
 */
function subnetOf(
  subnets: readonly DhcpSubnet[],
  { name }: Arrival,
  request: DhcpMessage,
): DhcpSubnet | undefined {
  const [link, { clientAddress }] = [linkOf(request), request];
  if (link !== 0) return subnets.find((subnet) => isInDhcpSubnet(link, subnet));
  return (
    subnets.find((subnet) => isInDhcpSubnet(clientAddress, subnet)) ??
    subnets.find((subnet) => subnet.interface === name)
  );
}

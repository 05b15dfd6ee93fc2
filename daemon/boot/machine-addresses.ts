// Which machine has an address. Where the daemon's own DHCP server leases the addresses, what is for one machine goes only to the
// address that this machine has leased: MAC addresses are no secret on the machines' network.
import { networkInterfaces } from 'node:os';
import type { Config } from '../config/sections/core-sections.ts';
import { type IpNumber, isInDhcpSubnet, readDhcp6Subnet, readDhcpSubnet } from '../config/dhcp-subnet.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { canonicalIp } from '../lib/network/ip.ts';
import { isGlobalUnicast, parseIp } from '../lib/network/ipv6.ts';

/**
 * Whether the client at the address may be a machine with one of these network cards. False when the address is in a subnet of the
 * daemon's DHCP server and is not leased to one of the cards now, when it is of one link only (fe80::), and when the server leases
 * only addresses of the other family. True for all other addresses, which nothing is known of, for those of this host, and without
 * cards or an address (null: a Unix socket).
 */
export type MayBeMachine = (address: string | null, macs: readonly string[]) => boolean;

interface Surroundings {
  readonly config: Pick<Config, 'dhcp' | 'dhcp_server'>;
  readonly db: Pick<Database, 'dhcpLeases' | 'dhcp6Leases'>;
  readonly clock: Pick<Clock, 'now'>;
}

export function machineAddresses({ config, db, clock }: Surroundings): MayBeMachine {
  const { mode, subnet: texts } = config.dhcp_server;
  const leases = mode === 'server' && config.dhcp.dhcp_provider === 'none';
  const served = leases ? texts : [];
  const [four, six] = [subnetsIn(served, readDhcpSubnet), subnetsIn(served, readDhcp6Subnet)];
  const isOutside = (address: IpNumber) =>
    typeof address === 'number'
      ? four.length > 0 && !four.some((subnet) => isInDhcpSubnet(address, subnet))
      : six.length > 0 && isGlobalUnicast(address) && !six.some((subnet) => isInDhcpSubnet(address, subnet));
  const isLeased = (address: string, macs: readonly string[]) => {
    const lease = (address.includes(':') ? db.dhcp6Leases : db.dhcpLeases).get(address);
    return lease?.mac != null && macs.includes(lease.mac) && lease.expires_at > clock.now();
  };
  return (address, macs) => {
    if (four.length + six.length === 0 || address === null || macs.length === 0) return true;
    const number = parseIp(address);
    return (number !== undefined && isOutside(number)) || isLeased(address, macs) || isOwn(address);
  };
}

const subnetsIn = <S>(
  texts: readonly string[],
  read: (text: string) => { readonly kind: 'read'; readonly value: S } | { readonly kind: 'unreadable' },
): readonly S[] =>
  texts.flatMap((text) => {
    const reading = read(text);
    return reading.kind === 'read' ? [reading.value] : [];
  });

const isOwn = (address: string): boolean =>
  Object.values(networkInterfaces()).some((addresses = []) =>
    addresses.some((own) => canonicalIp(own.address) === address),
  );

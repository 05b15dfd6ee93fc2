// What a lease of an address is, and what leases depend on.
import type { IpNumber, SubnetOf } from '../../../config/dhcp-subnet.ts';
import type { Database } from '../../../db/database.ts';
import type { Clock } from '../../../lib/clock.ts';
import { ipv4Text, parseIpv4 } from '../../../lib/network/ipv4.ts';
import { ipv6Text, parseIpv6 } from '../../../lib/network/ipv6.ts';

/** In which table the leases are, and how addresses are written there. */
export interface AddressFamily<A extends IpNumber> {
  readonly table: 'dhcpLeases' | 'dhcp6Leases';
  readonly text: (address: A) => string;
  readonly parse: (text: string) => A | undefined;
}

export const IPV4_LEASES: AddressFamily<number> = { table: 'dhcpLeases', text: ipv4Text, parse: parseIpv4 };
export const IPV6_LEASES: AddressFamily<bigint> = { table: 'dhcp6Leases', text: ipv6Text, parse: parseIpv6 };

/** An address that is not free before `until`, in milliseconds of the monotonic clock. */
export interface AddressLease<A extends IpNumber = number> {
  readonly address: A;
  /** Null while no machine may have the address, because another host uses it or may use it. */
  readonly mac: string | null;
  /** An offer is kept in memory only: the machine has not been promised anything yet. */
  readonly kind: 'offered' | 'bound';
  /** Set when the machine, or somebody in its name, has given the address back. */
  readonly isReleased?: true;
  readonly until: number;
}

/** Where a new lease may come from when no address is free. */
export interface Wish<A extends IpNumber = number> {
  readonly reserved: A | undefined;
  readonly requested: A | undefined;
  /** Whether the server looks for a host that uses the address before it offers the address. */
  readonly isProbed: boolean;
}

export interface LeaseSettings<A extends IpNumber = number> {
  readonly subnets: readonly SubnetOf<A>[];
  readonly family: AddressFamily<A>;
  /** Whether a port has the MAC address. */
  readonly isKnown: (mac: string) => boolean;
  readonly db: Pick<Database, 'dhcpLeases' | 'dhcp6Leases' | 'transaction'>;
  readonly clock: Clock;
  readonly leaseSeconds: number;
  /** Returns the MAC address of the machine for which a port reserves the address. */
  readonly reservedFor: (address: A) => string | undefined;
}

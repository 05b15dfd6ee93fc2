// The leases: which machine has which address. They are read and changed in memory; `commit` stores all changes at once.
import { type DhcpSubnet, isInDhcpSubnet } from '../../../config/dhcp-subnet.ts';
import type { Database } from '../../../db/database.ts';
import type { LeaseRecord } from '../../../db/tables/boot/dhcp-leases.ts';
import type { Clock } from '../../../lib/clock.ts';
import { ipv4Text, parseIpv4 } from '../../../lib/network/ipv4.ts';
import { FreeAddresses } from './free-addresses.ts';

/** An address that is not free before `until`, in milliseconds of the monotonic clock. */
export interface Lease {
  readonly address: number;
  /** Null while no machine may have the address, because another host uses it or may use it. */
  readonly mac: string | null;
  /** An offer is kept in memory only: the machine has not been promised anything yet. */
  readonly kind: 'offered' | 'bound';
  readonly until: number;
}

// A client that heard the offer asks for the address within seconds; UEFI firmware waits 4 s for better offers.
const OFFER_MILLISECONDS = 30_000;
/** How long an address is offered to no machine after another host was found to use it. */
export const UNUSABLE_MILLISECONDS = 600_000;
// The shortest time between two searches for expired leases. A search reads all leases, and is made only when no free address is
// found.
const SWEEP_MILLISECONDS = 1000;

export interface LeaseSettings {
  readonly subnets: readonly DhcpSubnet[];
  /** Addresses of hosts that are not DHCP clients, such as this host. */
  readonly excluded: ReadonlySet<number>;
  readonly db: Pick<Database, 'dhcpLeases' | 'transaction'>;
  readonly clock: Clock;
  readonly leaseSeconds: number;
  /** Returns the MAC address of the machine for which a port reserves the address. */
  readonly reservedFor: (address: number) => string | undefined;
}

export interface Wish {
  readonly reserved: number | undefined;
  readonly requested: number | undefined;
}

export class Leases {
  readonly #settings: LeaseSettings;
  readonly #free: FreeAddresses;
  /** Contains expired leases too: a machine gets its old address again unless another machine got it meanwhile. */
  readonly #byAddress = new Map<number, Lease>();
  readonly #bound = new Map<string, Lease>();
  readonly #offered = new Map<string, Lease>();
  readonly #changed = new Set<number>();
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(settings: LeaseSettings) {
    this.#settings = settings;
    this.#free = new FreeAddresses(settings.subnets, settings.excluded);
    this.#load();
  }

  /** The number of machines that have an address. */
  get size(): number {
    const now = this.#now;
    return this.#bound.values().reduce((count, { until }) => (until > now ? count + 1 : count), 0);
  }

  /** The machine's offer, or else its lease. An expired lease counts too, unless another machine has got its address since. */
  of(mac: string): Lease | undefined {
    return this.#offered.get(mac) ?? this.#bound.get(mac);
  }

  /** The address that the machine has at this moment. */
  addressOf(mac: string): number | undefined {
    const lease = this.#bound.get(mac);
    return lease !== undefined && lease.until > this.#now ? lease.address : undefined;
  }

  /**
   * Whether the machine may get the address. The address must be in a range or reserved for this machine, and must be neither held
   * by another host nor reserved for another machine.
   */
  mayHave(mac: string, address: number): boolean {
    const reserved = this.#settings.reservedFor(address);
    if (reserved !== undefined && reserved !== mac) return false;
    const lease = this.#byAddress.get(address);
    const isOthers = lease !== undefined && lease.mac !== mac && lease.until > this.#now;
    return !isOthers && (reserved === mac || this.#free.isInRange(address));
  }

  /**
   * Returns the address to offer. Tries the address reserved for the machine, then the address of its offer or lease, then the
   * address that it requests, and last the free addresses. Returns the first that is in the subnet and that the machine may have;
   * undefined when there is none.
   */
  candidate(mac: string, subnet: DhcpSubnet, wish: Wish): number | undefined {
    const suits = (address: number | undefined) =>
      address !== undefined && isInDhcpSubnet(address, subnet) && this.mayHave(mac, address);
    return [wish.reserved, this.of(mac)?.address, wish.requested].find(suits) ?? this.#anyFree(mac, subnet);
  }

  #anyFree(mac: string, subnet: DhcpSubnet): number | undefined {
    const suits = (address: number) => this.mayHave(mac, address);
    const free = this.#free.first(subnet, suits);
    if (free !== undefined || this.#now < this.#sweptAt + SWEEP_MILLISECONDS) return free;
    this.#sweep();
    return this.#free.first(subnet, suits);
  }

  offer(mac: string, address: number): void {
    const bound = this.#bound.get(mac);
    if (bound?.address === address && bound.until > this.#now) return;
    this.withdraw(mac);
    this.#hold({ address, mac, kind: 'offered', until: this.#now + OFFER_MILLISECONDS });
  }

  /** Drops the offer: the machine took another server's offer, or its request was refused. */
  withdraw(mac: string): void {
    const offered = this.#offered.get(mac);
    if (offered === undefined) return;
    this.#offered.delete(mac);
    this.#letGo(offered);
    // the offer took the place of the expired lease of the same address
    const expired = this.#bound.get(mac);
    if (expired?.address === offered.address) this.#byAddress.set(expired.address, expired);
  }

  bind(mac: string, address: number): void {
    this.withdraw(mac);
    const earlier = this.#bound.get(mac);
    if (earlier !== undefined && earlier.address !== address) this.#letGo(earlier);
    this.#hold({ address, mac, kind: 'bound', until: this.#now + this.#settings.leaseSeconds * 1000 });
    this.#changed.add(address);
  }

  /** Frees the machine's address. The machine gets it again unless another machine got it meanwhile. */
  release(mac: string, address: number): void {
    const lease = this.#bound.get(mac);
    if (lease?.address !== address) return;
    this.#hold({ ...lease, until: this.#now });
    this.#free.add(address);
    this.#changed.add(address);
  }

  /** Keeps the address from all machines for this time, because another host uses it or may use it. */
  setAside(address: number, milliseconds: number): void {
    const lease = this.#byAddress.get(address);
    if (lease?.mac != null) this.#forget(lease.mac, lease);
    this.#hold({ address, mac: null, kind: 'bound', until: this.#now + milliseconds });
    this.#changed.add(address);
  }

  /**
   * Runs `work` and writes all changes, in one transaction. Throws if the transaction fails: then nothing is stored, the leases in
   * memory are read from the database again, and all offers are forgotten.
   */
  commit(work: () => void = () => {}): void {
    const { db, clock } = this.#settings;
    const wallClock = clock.now() - clock.monotonic();
    try {
      db.transaction(() => {
        work();
        for (const address of this.#changed)
          db.dhcpLeases.put(recordOf(this.#boundAt(address), address, wallClock));
      });
      this.#changed.clear();
    } catch (error) {
      this.#load();
      throw error;
    }
  }

  get #now(): number {
    return this.#settings.clock.monotonic();
  }

  #hold(lease: Lease): void {
    const { address, mac, kind } = lease;
    const former = this.#byAddress.get(address);
    if (former?.mac != null && former.mac !== mac) this.#forget(former.mac, former);
    this.#byAddress.set(address, lease);
    this.#free.take(address);
    if (mac !== null) (kind === 'offered' ? this.#offered : this.#bound).set(mac, lease);
  }

  /** The lease to store for the address; undefined if the address has no lease, or only an offer, which is not stored. */
  #boundAt(address: number): Lease | undefined {
    const lease = this.#byAddress.get(address);
    return lease?.kind === 'offered' ? undefined : lease;
  }

  #isServed(address: number, mac: string | null): boolean {
    return this.#free.isInRange(address) || (mac !== null && this.#settings.reservedFor(address) === mac);
  }

  #forget(mac: string, lease: Lease): void {
    if (this.#offered.get(mac)?.address === lease.address) this.#offered.delete(mac);
    if (this.#bound.get(mac)?.address === lease.address) this.#bound.delete(mac);
  }

  #letGo({ mac, address }: Lease): void {
    // another machine may have got the address of an expired lease
    if (this.#byAddress.get(address)?.mac !== mac) return;
    this.#byAddress.delete(address);
    this.#free.add(address);
  }

  #sweep(): void {
    const now = this.#now;
    this.#sweptAt = now;
    for (const { address, until } of this.#byAddress.values()) if (until <= now) this.#free.add(address);
  }

  #load(): void {
    const { db, clock, leaseSeconds } = this.#settings;
    for (const map of [this.#byAddress, this.#bound, this.#offered]) map.clear();
    this.#changed.clear();
    this.#free.clear();
    const [now, wallNow] = [clock.monotonic(), clock.now()];
    const longest = Math.max(leaseSeconds * 1000, UNUSABLE_MILLISECONDS);
    for (const { address: text, mac, expires_at } of db.dhcpLeases.list()) {
      const address = parseIpv4(text);
      if (address === undefined || !this.#isServed(address, mac)) {
        // the ranges or a reservation have changed: the machine with this lease gets another address when it asks next
        db.dhcpLeases.remove(text);
        continue;
      }
      // the wall clock may have been set back since the lease was stored: the lease must not last for years then
      const until = now + Math.min(expires_at - wallNow, longest);
      this.#hold({ address, mac, kind: 'bound', until });
      if (until <= now) this.#free.add(address);
    }
  }
}

const recordOf = (lease: Lease | undefined, address: number, wallClock: number): LeaseRecord => ({
  address: ipv4Text(address),
  mac: lease?.mac ?? null,
  expires_at: Math.round((lease?.until ?? 0) + wallClock),
});

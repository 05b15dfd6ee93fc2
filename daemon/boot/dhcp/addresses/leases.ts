// The leases: which machine has which address. They are read and changed in memory; `commit` stores all changes at once. Machines
// with a port come first: when no address is free, they get addresses of others that do not answer for them.
import { type IpNumber, isInDhcpSubnet, isNoMachines, type SubnetOf } from '../../../config/dhcp-subnet.ts';
import type { LeaseRecord } from '../../../db/tables/boot/dhcp-leases.ts';
import { DeclinedAddresses } from './declined-addresses.ts';
import { FreeAddresses } from './free-addresses.ts';
import type { AddressLease, LeaseSettings, Wish } from './lease.ts';
import { dhcpLimits } from '../../limits.ts';

// A client that heard the offer asks for the address within seconds; UEFI firmware waits 4 s for better offers.
const OFFER_MILLISECONDS = 30_000;
/** How long an address is offered to no machine after another host was found to use it, unless no other address is left. */
export const UNUSABLE_MILLISECONDS = 600_000;
// A client looks for other hosts that use its new address at once
const FRESH_MILLISECONDS = 30_000;
// The shortest time between two searches for expired leases. A search reads all leases, and is made only when no free address is
// found.
const SWEEP_MILLISECONDS = 1000;

export class AddressLeases<A extends IpNumber = number> {
  readonly #settings: LeaseSettings<A>;
  readonly #free: FreeAddresses<A>;
  /** Contains expired leases too: a machine gets its old address again unless another machine got it meanwhile. */
  readonly #byAddress = new Map<A, AddressLease<A>>();
  readonly #bound = new Map<string, AddressLease<A>>();
  readonly #offered = new Map<string, AddressLease<A>>();
  readonly #changed = new Set<A>();
  /** The addresses that were set aside or released, and those of machines without a port. The oldest comes first. */
  readonly #spare = new Set<A>();
  readonly #declined: DeclinedAddresses;
  /** The addresses of this host. */
  readonly #own = new Set<A>();
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(settings: LeaseSettings<A>) {
    this.#settings = settings;
    const servers = settings.subnets.flatMap(({ routers, dns, ntp }) => [...routers, ...dns, ...ntp]);
    this.#free = new FreeAddresses(settings.subnets, new Set(servers));
    this.#declined = new DeclinedAddresses(settings.clock);
    this.#load();
  }

  /** The number of machines that have an address. */
  get size(): number {
    const now = this.#now;
    return this.#bound.values().reduce((count, { until }) => (until > now ? count + 1 : count), 0);
  }

  /** The machine's offer, or else its lease. An expired lease counts too, unless another machine has got its address since. */
  of(mac: string): AddressLease<A> | undefined {
    return this.#offered.get(mac) ?? this.#bound.get(mac);
  }

  /** Like `of`, but only if the offer or lease has not expired. */
  current(mac: string): AddressLease<A> | undefined {
    const lease = this.of(mac);
    return lease !== undefined && lease.until > this.#now ? lease : undefined;
  }

  /** The offer or lease of the address, unless it has expired or is the machine's own. */
  otherThan(mac: string, address: A): AddressLease<A> | undefined {
    const lease = this.#byAddress.get(address);
    return lease !== undefined && lease.mac !== mac && lease.until > this.#now ? lease : undefined;
  }

  /** The address that the machine has at this moment. */
  addressOf(mac: string): A | undefined {
    const lease = this.#bound.get(mac);
    return lease !== undefined && lease.until > this.#now ? lease.address : undefined;
  }

  /**
   * Whether the machine may get the address. The address must be in a range or reserved for this machine, and must be neither held
   * by another host nor reserved for another machine, nor one that no machine can have.
   */
  mayHave(mac: string, address: A): boolean {
    const { subnets } = this.#settings;
    if (this.#own.has(address) || subnets.some((subnet) => isNoMachines(address, subnet))) return false;
    const reserved = this.#settings.reservedFor(address);
    if (reserved !== undefined && reserved !== mac) return false;
    const isOthers = this.otherThan(mac, address) !== undefined;
    return !isOthers && (reserved === mac || this.#free.isInRange(address));
  }

  /**
   * Returns the address to offer. Tries the address reserved for the machine, then the address of its offer or lease, then the
   * address that it requests, then the free addresses, and last those that no machine with a port holds. Returns the first that is
   * in the subnet, that the machine may have and that it has not declined; undefined when there is none.
   */
  candidate(mac: string, subnet: SubnetOf<A>, wish: Wish<A>): A | undefined {
    const suits = (address: A | undefined) =>
      address !== undefined && isInDhcpSubnet(address, subnet) && this.#suits(mac, address);
    return (
      [wish.reserved, this.of(mac)?.address, wish.requested].find(suits) ??
      this.#anyFree(mac, subnet) ??
      this.#anySpare(mac, subnet, wish.isProbed)
    );
  }

  #suits(mac: string, address: A): boolean {
    return !this.#declined.has(mac, address) && this.mayHave(mac, address);
  }

  /**
   * An address that was set aside or released; for a machine with a port also one that a machine without a port holds. Only an
   * offer is taken from its holder without a probe.
   */
  #anySpare(mac: string, subnet: SubnetOf<A>, isProbed: boolean): A | undefined {
    const isKnown = this.#settings.isKnown(mac);
    const mayTake = ({ mac: holder, kind, isReleased }: AddressLease<A>) =>
      holder === null || isReleased === true ? isProbed : isKnown && (isProbed || kind === 'offered');
    for (const address of this.#spare.values().take(dhcpLimits.searchedAddresses).toArray()) {
      // the next search begins behind it
      this.#spare.delete(address);
      this.#spare.add(address);
      const lease = this.#byAddress.get(address);
      if (lease !== undefined && mayTake(lease) && this.#fits(mac, address, subnet)) return address;
    }
    return undefined;
  }

  /** Whether the machine could have the address if nobody held it. */
  #fits(mac: string, address: A, subnet: SubnetOf<A>): boolean {
    const isReserved = (this.#settings.reservedFor(address) ?? mac) !== mac;
    const isServed = isInDhcpSubnet(address, subnet) && this.#free.isInRange(address);
    return isServed && !isReserved && !this.#declined.has(mac, address);
  }

  #anyFree(mac: string, subnet: SubnetOf<A>): A | undefined {
    const suits = (address: A) => this.#suits(mac, address);
    const free = this.#free.first(subnet, suits);
    if (free !== undefined || this.#now < this.#sweptAt + SWEEP_MILLISECONDS) return free;
    this.#sweep();
    return this.#free.first(subnet, suits);
  }

  offer(mac: string, address: A): void {
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

  bind(mac: string, address: A): void {
    this.withdraw(mac);
    const earlier = this.#bound.get(mac);
    if (earlier !== undefined && earlier.address !== address) this.#letGo(earlier);
    this.#hold({ address, mac, kind: 'bound', until: this.#now + this.#settings.leaseSeconds * 1000 });
    this.#changed.add(address);
  }

  /**
   * The address may go to another machine when no free one is left, once no host answers for it: anybody could have sent the
   * release. Until then the lease stays as it is.
   */
  release(mac: string, address: A): void {
    const lease = this.#bound.get(mac);
    if (lease?.address === address) this.#hold({ ...lease, isReleased: true });
  }

  /** Keeps the address from all machines for this time, because another host uses it or may use it. */
  setAside(address: A, milliseconds: number): void {
    const lease = this.#byAddress.get(address);
    if (lease?.mac != null) this.#forget(lease.mac, lease);
    this.#hold({ address, mac: null, kind: 'bound', until: this.#now + milliseconds });
    this.#changed.add(address);
  }

  /** Whether the machine got the address so lately that it may still find another host that uses the address. */
  isFresh(mac: string, address: A): boolean {
    const lease = this.#bound.get(mac);
    const age = this.#now - ((lease?.until ?? 0) - this.#settings.leaseSeconds * 1000);
    return lease?.address === address && age < FRESH_MILLISECONDS;
  }

  /**
   * Ends the machine's lease of the address, which the machine is not offered again for ten minutes. Returns false, and ends
   * nothing, when the machine no longer has the address or has declined too many.
   */
  decline(mac: string, address: A): boolean {
    const lease = this.#bound.get(mac);
    if (lease?.address !== address || !this.#declined.note(mac, address)) return false;
    this.#forget(mac, lease);
    this.#letGo(lease);
    this.#changed.add(address);
    return true;
  }

  /** Gives the address to no machine from now on: it is this host's. */
  exclude(address: A): void {
    this.#own.add(address);
    this.#free.exclude(address);
  }

  /**
   * Runs `work` and writes all changes, in one transaction. Throws if the transaction fails: then nothing is stored, the leases in
   * memory are read from the database again, and all offers are forgotten.
   */
  commit(work: () => void = () => {}): void {
    const { db, clock, family } = this.#settings;
    const wallClock = clock.now() - clock.monotonic();
    try {
      db.transaction(() => {
        work();
        for (const address of this.#changed) db[family.table].put(this.#recordOf(address, wallClock));
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

  #hold(lease: AddressLease<A>): void {
    const { address, mac, kind, isReleased = false } = lease;
    const former = this.#byAddress.get(address);
    if (former?.mac != null && former.mac !== mac) this.#forget(former.mac, former);
    this.#byAddress.set(address, lease);
    this.#free.take(address);
    this.#spare.delete(address);
    if (mac === null || isReleased || !this.#settings.isKnown(mac)) this.#spare.add(address);
    if (mac !== null) (kind === 'offered' ? this.#offered : this.#bound).set(mac, lease);
  }

  /** The lease to store for the address; undefined if the address has no lease, or only an offer, which is not stored. */
  #boundAt(address: A): AddressLease<A> | undefined {
    const lease = this.#byAddress.get(address);
    return lease?.kind === 'offered' ? undefined : lease;
  }

  #recordOf(address: A, wallClock: number): LeaseRecord {
    const lease = this.#boundAt(address);
    return {
      address: this.#settings.family.text(address),
      mac: lease?.mac ?? null,
      expires_at: Math.round((lease?.until ?? 0) + wallClock),
    };
  }

  #isServed(address: A, mac: string | null): boolean {
    return this.#free.isInRange(address) || (mac !== null && this.#settings.reservedFor(address) === mac);
  }

  #forget(mac: string, lease: AddressLease<A>): void {
    if (this.#offered.get(mac)?.address === lease.address) this.#offered.delete(mac);
    if (this.#bound.get(mac)?.address === lease.address) this.#bound.delete(mac);
  }

  #letGo({ mac, address }: AddressLease<A>): void {
    // another machine may have got the address of an expired lease
    if (this.#byAddress.get(address)?.mac !== mac) return;
    this.#byAddress.delete(address);
    this.#spare.delete(address);
    this.#free.add(address);
  }

  #sweep(): void {
    const now = this.#now;
    this.#sweptAt = now;
    for (const { address, until } of this.#byAddress.values()) if (until <= now) this.#free.add(address);
  }

  #load(): void {
    const { db, clock, family, leaseSeconds } = this.#settings;
    const table = db[family.table];
    for (const map of [this.#byAddress, this.#bound, this.#offered, this.#spare]) map.clear();
    this.#changed.clear();
    this.#free.clear();
    const [now, wallNow] = [clock.monotonic(), clock.now()];
    const longest = Math.max(leaseSeconds * 1000, UNUSABLE_MILLISECONDS);
    for (const { address: text, mac, expires_at } of table.list()) {
      const address = family.parse(text);
      if (address === undefined || !this.#isServed(address, mac)) {
        // the ranges or a reservation have changed: the machine with this lease gets another address when it asks next
        table.remove(text);
        continue;
      }
      // the wall clock may have been set back since the lease was stored: the lease must not last for years then
      const until = now + Math.min(expires_at - wallNow, longest);
      this.#hold({ address, mac, kind: 'bound', until });
      if (until <= now) this.#free.add(address);
    }
  }
}

// The free addresses of each subnet's ranges, in the order in which they are offered to machines.
import { type AddressRange, type DhcpSubnet, isInDhcpSubnet } from '../../../config/dhcp-subnet.ts';

// The most addresses that one search examines. A search passes over free addresses that are reserved for other machines.
const LONGEST_SEARCH = 64;

export class FreeAddresses {
  readonly #subnets: readonly DhcpSubnet[];
  readonly #excluded: ReadonlySet<number>;
  /** The free addresses by CIDR. Sets keep the order of insertion: the first address is offered next. */
  readonly #free = new Map<string, Set<number>>();

  constructor(subnets: readonly DhcpSubnet[], excluded: ReadonlySet<number>) {
    this.#subnets = subnets;
    this.#excluded = excluded;
    this.clear();
  }

  /** Frees every address of every range, except the excluded ones, to be offered in the order of the ranges. */
  clear(): void {
    for (const subnet of this.#subnets) {
      const addresses = subnet.ranges.flatMap(addressesIn);
      this.#free.set(subnet.cidr, new Set(addresses.filter((address) => !this.#excluded.has(address))));
    }
  }

  isInRange(address: number): boolean {
    return this.#subnetOf(address) !== undefined;
  }

  take(address: number): void {
    this.#setOf(address)?.delete(address);
  }

  /** Frees the address, to be offered after all others. Does nothing when the address is excluded or in no range. */
  add(address: number): void {
    this.#setOf(address)?.add(address);
  }

  /**
   * Returns the first free address that `suits` accepts; undefined when it accepts none of the first LONGEST_SEARCH. Refused
   * addresses move to the end, so that the next search is short.
   */
  first(subnet: DhcpSubnet, suits: (address: number) => boolean): number | undefined {
    const free = this.#free.get(subnet.cidr) ?? new Set();
    for (let looked = Math.min(free.size, LONGEST_SEARCH); looked > 0; looked -= 1) {
      const [address] = free;
      if (address === undefined || suits(address)) return address;
      free.delete(address);
      free.add(address);
    }
    return undefined;
  }

  #setOf(address: number): Set<number> | undefined {
    const subnet = this.#subnetOf(address);
    return subnet && this.#free.get(subnet.cidr);
  }

  #subnetOf(address: number): DhcpSubnet | undefined {
    if (this.#excluded.has(address)) return undefined;
    return this.#subnets.find(
      (subnet) =>
        isInDhcpSubnet(address, subnet) &&
        subnet.ranges.some(({ first, last }) => first <= address && address <= last),
    );
  }
}

const addressesIn = ({ first, last }: AddressRange): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

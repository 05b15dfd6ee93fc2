// The free addresses of each subnet's ranges, in the order in which they are offered to machines.
import {
  type AddressRange,
  type IpNumber,
  isInDhcpSubnet,
  type SubnetOf,
} from '../../../config/dhcp-subnet.ts';
import { dhcpLimits } from '../../limits.ts';

export class FreeAddresses<A extends IpNumber> {
  readonly #subnets: readonly SubnetOf<A>[];
  readonly #excluded: Set<A>;
  /** The free addresses by CIDR. Sets keep the order of insertion: the first address is offered next. */
  readonly #free = new Map<string, Set<A>>();

  constructor(subnets: readonly SubnetOf<A>[], excluded: Set<A>) {
    this.#subnets = subnets;
    this.#excluded = excluded;
    this.clear();
  }

  /** Frees every address of every range, except the excluded ones, to be offered in the order of the ranges. */
  clear(): void {
    for (const subnet of this.#subnets) {
      const addresses = subnet.ranges.flatMap((range) => addressesIn(range));
      this.#free.set(subnet.cidr, new Set(addresses.filter((address) => !this.#excluded.has(address))));
    }
  }

  isInRange(address: A): boolean {
    return this.#subnetOf(address) !== undefined;
  }

  /** Takes the address out of its range for good. */
  exclude(address: A): void {
    this.take(address);
    this.#excluded.add(address);
  }

  take(address: A): void {
    this.#setOf(address)?.delete(address);
  }

  /** Frees the address, to be offered after all others. Does nothing when the address is excluded or in no range. */
  add(address: A): void {
    this.#setOf(address)?.add(address);
  }

  /**
   * Returns the first free address that `suits` accepts; undefined when it accepts none of those searched. Refused
   * addresses move to the end, so that the next search is short.
   */
  first(subnet: SubnetOf<A>, suits: (address: A) => boolean): A | undefined {
    const free = this.#free.get(subnet.cidr) ?? new Set<A>();
    for (let looked = Math.min(free.size, dhcpLimits.searchedAddresses); looked > 0; looked -= 1) {
      const [address] = free;
      if (address === undefined || suits(address)) return address;
      free.delete(address);
      free.add(address);
    }
    return undefined;
  }

  #setOf(address: A): Set<A> | undefined {
    const subnet = this.#subnetOf(address);
    return subnet && this.#free.get(subnet.cidr);
  }

  #subnetOf(address: A): SubnetOf<A> | undefined {
    if (this.#excluded.has(address)) return undefined;
    return this.#subnets.find(
      (subnet) =>
        isInDhcpSubnet(address, subnet) &&
        subnet.ranges.some(({ first, last }) => first <= address && address <= last),
    );
  }
}

const addressesIn = <A extends IpNumber>({ first, last }: AddressRange<A>): readonly A[] =>
  Array.from({ length: Number(BigInt(last) - BigInt(first)) + 1 }, (_, index) => later(first, index));

function later<A extends IpNumber>(first: A, steps: number): A;
function later(first: IpNumber, steps: number): IpNumber {
  return typeof first === 'bigint' ? first + BigInt(steps) : first + steps;
}

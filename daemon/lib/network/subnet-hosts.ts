// The addresses that hosts in a subnet may have.
import ipaddr from 'ipaddr.js';
import { cidrOf } from './ip.ts';
import { ipv4Text } from './ipv4.ts';

/** Whether each address of `inner` is in `outer`; both are texts that `isSubnet` accepts. */
export function isSubnetOf(inner: string, outer: string): boolean {
  const [address, length] = ipaddr.parseCIDR(cidrOf(inner));
  const [network, prefix] = ipaddr.parseCIDR(cidrOf(outer));
  return address.kind() === network.kind() && length >= prefix && address.match(network, prefix);
}

export interface SubnetHosts {
  readonly family: 'ipv4' | 'ipv6';
  readonly count: number;
  /** Their addresses in canonical form. Read them only if `count` is not too large. */
  readonly addresses: () => Iterable<string>;
}

/** Without the addresses that mean an IPv4 network itself and all its hosts. `subnet`: a text that `isSubnet` accepts. */
export function subnetHosts(subnet: string): SubnetHosts {
  const [given, length] = ipaddr.parseCIDR(cidrOf(subnet));
  const family = given.kind();
  const bits = (family === 'ipv4' ? 32 : 128) - length;
  const inside = 1n << BigInt(bits);
  const edge = family === 'ipv4' && bits > 1 ? 1n : 0n;
  const first = (numberOf(given.toByteArray()) / inside) * inside;
  return {
    family,
    count: Number(inside - 2n * edge),
    *addresses() {
      for (let each = first + edge; each < first + inside - edge; each += 1n)
        yield family === 'ipv4' ? ipv4Text(Number(each)) : ipv6Text(each);
    },
  };
}

const numberOf = (bytes: readonly number[]): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

const ipv6Text = (address: bigint): string =>
  ipaddr.fromByteArray([...Buffer.from(address.toString(16).padStart(32, '0'), 'hex')]).toString();

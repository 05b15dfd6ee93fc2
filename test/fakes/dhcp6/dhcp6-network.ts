// A daemon that serves DHCPv6 in a network space, and clients that have their link-local addresses at once.
import type { TestContext } from 'node:test';
import type { DhcpServerProcess } from '../boot/dhcp-server-process.ts';
import { WITH_SOCKETS } from '../boot/dhcp-server-process.ts';
import { server, space } from '../boot/dhcp-network.ts';
import type { NetworkSpace } from '../boot/network-space.ts';

export const IPV6_SUBNET =
  '2001:db8:99::/64 range=2001:db8:99::50-2001:db8:99::99 dns=2001:db8:99::1 domain=rack.example interface=server';
const SERVER_ADDRESS = '2001:db8:99::1';

/** The link-local address that a host makes of its MAC address (EUI-64). */
export function linkLocalOf(mac: string): string {
  const [a = '', b = '', c = '', d = '', e = '', f = ''] = mac.split(':');
  const first = (Number.parseInt(a, 16) ^ 2).toString(16).padStart(2, '0');
  return `fe80::${first}${b}:${c}ff:fe${d}:${e}${f}`;
}

/** Gives the interface its link-local address without the kernel's search for other hosts with it, which takes two seconds. */
export function settle(lab: NetworkSpace, name: string): void {
  const [, mac = ''] = /ether (\S+)/.exec(lab.run('ip', 'link', 'show', name)) ?? [];
  lab.run('ip', '-6', 'address', 'flush', 'dev', name);
  lab.run('ip', '-6', 'address', 'add', `${linkLocalOf(mac)}/64`, 'dev', name, 'nodad');
}

export interface Ipv6Lab {
  readonly lab: NetworkSpace;
  readonly daemon: DhcpServerProcess;
  /** The interface of the client with the MAC address. */
  readonly interfaceOf: (mac: string) => string;
}

/** The daemon is not started yet; it knows machines with these MAC addresses. */
export async function ipv6Lab(t: TestContext, macs: readonly string[]): Promise<Ipv6Lab> {
  const lab = await space(t);
  settle(lab, 'server');
  lab.run('ip', '-6', 'address', 'add', `${SERVER_ADDRESS}/64`, 'dev', 'server', 'nodad');
  return {
    lab,
    daemon: server(t, lab, macs, [WITH_SOCKETS, 'dhcp-server', 'dhcp6-server', '--']),
    interfaceOf(mac) {
      const name = lab.interfaceOf(mac);
      settle(lab, name);
      return name;
    },
  };
}

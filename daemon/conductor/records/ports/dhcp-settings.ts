// What the daemon's own DHCP server reads in the extra of a port: the addresses that the port reserves, and DHCP options.
import { networkInterfaces } from 'node:os';
import { configuredIpv6Subnets, configuredSubnets } from '../../../boot/dhcp/configured-subnets.ts';
import { readSetOptions } from '../../../config/dhcp-options/set-options.ts';
import { type IpNumber, isInDhcpSubnet, isNoMachines, type SubnetOf } from '../../../config/dhcp-subnet.ts';
import { parseIpv4 } from '../../../lib/network/ipv4.ts';
import { ipv6Text, isGlobalUnicast, parseIpv6 } from '../../../lib/network/ipv6.ts';
import { fault } from '../../../model/faults.ts';
import type { Json } from '../../../model/json.ts';
import type { Port } from '../../../model/records/port.ts';
import type { RecordServices } from '../services.ts';

const [ADDRESS, IPV6_ADDRESS] = ['ipv4_address', 'ipv6_address'];
const OPTIONS = 'dhcp_options';

/**
 * Throws InvalidParameter when the DHCP server could not give the machine what `port` asks for. Checks what differs from `before`,
 * the stored port. Without a DHCP server of the daemon, any value is accepted, because another program may read it.
 */
export function refuseWrongDhcpSettings(services: RecordServices, port: Port, before?: Port): void {
  const { dhcp_server: server } = services.config;
  if (server.mode !== 'server' || server.subnet.length === 0) return;
  const changed = (name: string) => {
    const value = port.extra[name];
    const isSame = JSON.stringify(value) === JSON.stringify(before?.extra[name]);
    return isSame || value === null ? undefined : value;
  };
  const checks = [
    [ADDRESS, (value: Json) => ipv4Flaw(value, configuredSubnets(server), services)],
    [IPV6_ADDRESS, (value: Json) => ipv6Flaw(value, configuredIpv6Subnets(server), services)],
  ] as const;
  for (const [name, flawOf] of checks) {
    const address = changed(name);
    if (address === undefined) continue;
    const flaw = flawOf(address) ?? ownerFlaw(services, port, address);
    if (flaw !== undefined) throw refused(name, `${JSON.stringify(address)}: ${flaw}`);
  }
  const options = changed(OPTIONS);
  if (options === undefined) return;
  const reading = readSetOptions(options, 'port');
  if (reading.kind === 'unreadable') throw refused(OPTIONS, reading.reason);
}

const refused = (name: string, reason: string) =>
  fault('InvalidParameter', { name: `extra/${name}`, reason });

function ipv4Flaw(
  value: Json,
  subnets: readonly SubnetOf<number>[],
  services: RecordServices,
): string | undefined {
  const address = typeof value === 'string' ? parseIpv4(value) : undefined;
  return address === undefined || !isUnicast(address)
    ? 'expected the IPv4 address of one machine, such as "10.0.0.9"'
    : addressFlaw(address, { value, subnets, services });
}

function ipv6Flaw(
  value: Json,
  subnets: readonly SubnetOf<bigint>[],
  services: RecordServices,
): string | undefined {
  const address = typeof value === 'string' ? parseIpv6(value) : undefined;
  if (address === undefined || !isGlobalUnicast(address))
    return 'expected the IPv6 address of one machine, such as "2001:db8::9"';
  return ipv6Text(address) === value
    ? addressFlaw(address, { value, subnets, services })
    : `expected its canonical form, "${ipv6Text(address)}"`;
}

interface Reservation<A extends IpNumber> {
  readonly value: Json;
  readonly subnets: readonly SubnetOf<A>[];
  readonly services: RecordServices;
}

/** An address outside all subnets is accepted: the machine may have the port in a network that another server serves. */
function addressFlaw<A extends IpNumber>(
  address: A,
  { value, subnets, services: { config } }: Reservation<A>,
): string | undefined {
  const own = [
    config.DEFAULT.my_ip,
    ...Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .map((each) => each.address),
  ];
  if (own.some((text) => text === value)) return 'it is an address of this host; choose another';
  const subnet = subnets.find((each) => isInDhcpSubnet(address, each));
  return subnet !== undefined && isNoMachines(address, subnet)
    ? `it is the address of the network ${subnet.cidr}, its broadcasts or its router; choose one of a host`
    : undefined;
}

const isUnicast = (address: number): boolean => {
  const first = address >>> 24;
  return first > 0 && first < 224 && first !== 127;
};

function ownerFlaw({ db }: RecordServices, port: Port, address: Json): string | undefined {
  const mac = typeof address === 'string' ? db.bootingPorts.reservedFor(address) : undefined;
  return mac === undefined || mac === port.address
    ? undefined
    : `the port with the MAC address ${mac} reserves it`;
}

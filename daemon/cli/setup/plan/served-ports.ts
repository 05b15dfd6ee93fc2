// The ports that the daemon opens on this host.
import type { LoadedConfig } from '../../../config/load.ts';
import { hostInUrl } from '../../../lib/network/ip.ts';
import { type Holder, portHolder, type NeededPort } from '../host/ports.ts';
import { CONFIG_FILE } from '../paths.ts';
import { DHCP_PORTS, dhcpSockets } from './units.ts';

const [FIRST_BOOT_PORT, FIRST_RAMDISK_PORT, TRIED_PORTS] = [8080, 6386, 10];

/** The first ports that no other program holds. */
export function freePorts(held: readonly Holder[], address: string) {
  const firstFree = (first: number) =>
    Array.from({ length: TRIED_PORTS }, (_, index) => first + index).find(
      (port) => portHolder({ protocol: 'tcp', port, address: hostInUrl(address) }, held) === undefined,
    ) ?? first;
  return { bootHttp: firstFree(FIRST_BOOT_PORT), ramdisk: firstFree(FIRST_RAMDISK_PORT) };
}

type Served = NeededPort & { readonly what: string; readonly mend: string };

/** `section`: of the configuration, with the address and the port of a server. */
const tcp = (section: string, host: string, port: number | null): readonly Served[] =>
  port === null
    ? []
    : [
        {
          protocol: 'tcp',
          port,
          address: hostInUrl(host),
          what: `[${section}]`,
          mend: `or set [${section}] port in ${CONFIG_FILE}`,
        },
      ];

/** The ports that the daemon opens, with the option that would choose another one. */
export function servedPorts({ config }: LoadedConfig): readonly Served[] {
  const { api, boot_http: bootHttp, ramdisk, tftp_server: tftp } = config;
  const dhcp = dhcpSockets(config).map(({ kind, device }): Served => ({
    protocol: 'udp',
    port: DHCP_PORTS[kind],
    address: kind === 'dhcp6' ? '[::]' : '0.0.0.0',
    device,
    what: kind === 'dhcp6' ? 'DHCPv6' : 'DHCP',
    mend: 'or choose --dhcp none',
  }));
  const files = tftp.enabled ? tftp.addresses : [];
  return [
    ...tcp('api', api.host_ip, api.port),
    ...tcp('boot_http', bootHttp.host_ip, bootHttp.port),
    ...tcp('ramdisk', ramdisk.host_ip, ramdisk.port),
    ...dhcp,
    ...files.map((address): Served => ({
      protocol: 'udp',
      port: tftp.port,
      address: hostInUrl(address),
      what: 'TFTP',
      mend: `or set [tftp_server] enabled = false in ${CONFIG_FILE}`,
    })),
  ];
}

export function refuseTakenPorts(loaded: LoadedConfig, held: readonly Holder[]): void {
  for (const wanted of servedPorts(loaded)) {
    const holder = portHolder(wanted, held);
    if (holder !== undefined)
      throw new Error(
        `${wanted.protocol.toUpperCase()} port ${wanted.port}, which ${wanted.what} needs, is taken by ${holder.program}. Stop that program, ${wanted.mend}, and run setup again.`,
      );
  }
}

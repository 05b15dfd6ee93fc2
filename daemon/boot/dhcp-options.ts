// The DHCP options for a machine that another DHCP server answers: the first boot file, and the file that iPXE boots.
import type { BootMode } from '../model/machine/boot-modes.ts';
import type { BootProtocol } from '../model/machine/boot-protocols.ts';
import type { DhcpOption } from '../plugin-api/index.ts';
import { bootFileOf, firstBootFile } from './boot-choice.ts';
import type { Architecture, BootStage } from './dhcp/client.ts';

interface Expected {
  readonly protocol: BootProtocol;
  readonly bootMode: BootMode;
  readonly architecture: Architecture;
  readonly secureBoot: boolean;
}

interface Servers {
  readonly httpUrl: string;
  /** IP address. DHCP of IPv4 names no IPv6 address. */
  readonly tftp: string;
}

export function dhcpOptionsFor(expected: Expected, { httpUrl, tftp }: Servers): readonly DhcpOption[] {
  const { protocol, bootMode, architecture, secureBoot } = expected;
  const byHttp = protocol.startsWith('http');
  const stage: BootStage = bootMode === 'bios' ? 'bios' : byHttp ? 'uefi-http' : 'uefi-pxe';
  const fileAt = (at: BootStage) => {
    const client = { mac: '', stage: at, firmware: bootMode, architecture };
    const choice = firstBootFile(
      { client, node: { uuid: '', secureBoot }, serverAddress: tftp },
      httpUrl,
      protocol,
    );
    return choice === undefined ? null : bootFileOf(choice);
  };
  return [
    { name: 'bootfile-name', value: fileAt(stage), client: 'firmware' },
    { name: 'bootfile-name', value: fileAt('ipxe'), client: 'ipxe' },
    ...(stage === 'uefi-http'
      ? [{ name: 'vendor-class', value: 'HTTPClient', client: 'firmware' } as const]
      : ([
          { name: 'tftp-server-name', value: tftp },
          ...(tftp.includes(':')
            ? []
            : ([
                { name: 'tftp-server-address', value: tftp },
                { name: 'server-ip-address', value: tftp },
              ] as const)),
        ] as const)),
  ];
}

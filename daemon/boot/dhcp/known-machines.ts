// What the records of ports and nodes say of the machine with a given MAC address. The records are read for each message, so that
// changes take effect at once.
import {
  readSetOptions,
  type SetOption,
  type SetOptionsReading,
} from '../../config/dhcp-options/set-options.ts';
import type { IpNumber, SubnetOf } from '../../config/dhcp-subnet.ts';
import type { Database } from '../../db/database.ts';
import { parseIpv4 } from '../../lib/network/ipv4.ts';
import { ipText, parseIpv6 } from '../../lib/network/ipv6.ts';
import type { Json } from '../../model/json.ts';
import type { BootingNode } from '../boot-choice.ts';

export interface KnownMachine {
  readonly node: BootingNode;
  /** Whether the machine may boot from this port. */
  readonly pxeEnabled: boolean;
  /** extra/ipv4_address of the port. */
  readonly reservedAddress: number | undefined;
  /** extra/ipv6_address of the port. */
  readonly reservedIpv6: bigint | undefined;
  /** The DHCP options in extra/dhcp_options of the port; undefined if there are none. */
  readonly options: SetOptionsReading | undefined;
  /** The service to which the node was handed over, and whose DHCP server answers the machine; null when there is none. */
  readonly handedTo: string | null;
}

export interface KnownMachines {
  /** `mac` in canonical form. */
  byMac(mac: string): KnownMachine | undefined;
  /** The MAC address of the port that reserves the address. */
  reservedFor(address: IpNumber): string | undefined;
  /** The MAC address of the port whose extra/client-id is this: bytes such as `ff:00:00:01`, in lower case. */
  macOfClientId(clientId: string): string | undefined;
}

export const knownMachines = ({ bootingPorts }: Pick<Database, 'bootingPorts'>): KnownMachines => ({
  byMac(mac) {
    const port = bootingPorts.byMac(mac);
    if (port === undefined) return undefined;
    return {
      node: { uuid: port.node_uuid, secureBoot: port.secure_boot },
      pxeEnabled: port.pxe_enabled,
      reservedAddress: parseIpv4(port.ipv4_address ?? ''),
      reservedIpv6: parseIpv6(port.ipv6_address ?? ''),
      options:
        port.dhcp_options === null
          ? undefined
          : readSetOptions(JSON.parse(port.dhcp_options) as Json, 'port'),
      handedTo: port.handed_to,
    };
  },
  reservedFor: (address) => bootingPorts.reservedFor(ipText(address)),
  macOfClientId: (clientId) => bootingPorts.macOfClientId(clientId),
});

/** The options of the machine's port for one version of DHCP, and then those of its subnet. */
export function optionsFor(
  version: SetOption['version'],
  machine: KnownMachine | undefined,
  subnet: Pick<SubnetOf<IpNumber>, 'options'> | undefined,
): readonly SetOption[] {
  const ofPort = machine?.options;
  const own = ofPort?.kind === 'read' ? ofPort.value.filter((option) => option.version === version) : [];
  return [...own, ...(subnet?.options ?? [])];
}

/** What a report says of a port whose options cannot be read; undefined if they can. */
export const unreadableOptions = ({ options }: KnownMachine): string | undefined =>
  options?.kind === 'unreadable'
    ? `does not get extra/dhcp_options of its port: ${options.reason}`
    : undefined;

// What the records of ports and nodes say of the machine with a given MAC address. The records are read for each message, so that
// changes take effect at once.
import type { Database } from '../../db/database.ts';
import { ipv4Text, parseIpv4 } from '../../lib/network/ipv4.ts';
import type { BootingNode } from '../boot-choice.ts';

export interface KnownMachine {
  readonly node: BootingNode;
  /** Whether the machine may boot from this port. */
  readonly pxeEnabled: boolean;
  /** extra/ipv4_address of the port. */
  readonly reservedAddress: number | undefined;
  /** The service to which the node was handed over, and whose DHCP server answers the machine; null when there is none. */
  readonly handedTo: string | null;
}

export interface KnownMachines {
  /** `mac` in canonical form. */
  byMac(mac: string): KnownMachine | undefined;
  /** The MAC address of the port that reserves the address. */
  reservedFor(address: number): string | undefined;
}

export const knownMachines = ({ bootingPorts }: Pick<Database, 'bootingPorts'>): KnownMachines => ({
  byMac(mac) {
    const port = bootingPorts.byMac(mac);
    if (port === undefined) return undefined;
    return {
      node: { uuid: port.node_uuid, secureBoot: port.secure_boot },
      pxeEnabled: port.pxe_enabled,
      reservedAddress: parseIpv4(port.ipv4_address ?? ''),
      handedTo: port.handed_to,
    };
  },
  reservedFor: (address) => bootingPorts.reservedFor(ipv4Text(address)),
});

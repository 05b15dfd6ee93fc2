// Whether a BMC belongs to the machine that it should belong to, by what the BMC itself says after a login.
import type { ClaimedBmcLogin } from '../../db/tables/zero-touch/bmc-logins.ts';
import {
  isSameMachineUuid,
  isSameSerialNumber,
  type MachineIdentity,
} from '../../model/machine/machine-identity.ts';
import type { ExpectedMachine } from '../../model/zero-touch/expected-machine.ts';
import { Stopped } from './stopped.ts';
import type { TakeInServices } from './services.ts';

/** Throws Stopped when the BMC says that it belongs to another machine than the expected one. */
export function refuseOtherMachine(
  { serial_number: serial, port_macs: ports }: ExpectedMachine,
  { serialNumbers, macs }: MachineIdentity,
): void {
  if (serial !== null && serialNumbers.length > 0 && !serialNumbers.includes(serial))
    throw new Stopped(
      `its BMC says that its serial number is ${serialNumbers.join(' or ')}, and the expected machine has ${serial}: correct the list, or find out whose machine it is`,
    );
  if (ports.length > 0 && macs.length > 0 && !ports.some((mac) => macs.includes(mac)))
    throw new Stopped(
      `its BMC says that its network cards are ${someOf(macs)}, and the expected machine has ${someOf(ports)}: correct the list, or find out whose machine it is`,
    );
}

/**
 * Anybody can send a report that names a serial number. Throws Stopped unless the BMC confirms that the report, by which the machine was
 * recognised, came from its machine.
 */
export function refuseUnconfirmed(
  claim: ClaimedBmcLogin,
  { serialNumbers, uuids, macs }: MachineIdentity,
): void {
  const { serial_number: serial, system_uuid: uuid } = claim;
  const isConfirmed =
    (serial !== null && serialNumbers.some((each) => isSameSerialNumber(each, serial))) ||
    (uuid !== null && uuids.some((each) => isSameMachineUuid(each, uuid))) ||
    macs.some((mac) => claim.macs.includes(mac));
  if (!isConfirmed)
    throw new Stopped(
      'its BMC does not confirm the serial number, UUID or network cards that its ramdisk has reported: add its bmc_mac or bmc_address to the expected machine if you know that it is this one',
    );
}

const SHOWN = 4;
const someOf = (macs: readonly string[]): string =>
  macs.length > SHOWN
    ? `${macs.slice(0, SHOWN).join(', ')} and ${macs.length - SHOWN} more`
    : macs.join(', ');

/** Throws Stopped when another node than `uuid` is the machine: it would be two nodes. */
export function refuseSecondNode(
  { db }: TakeInServices,
  uuid: string,
  { macs, uuids }: MachineIdentity,
): void {
  const other =
    db.ports.nodesWithAddress(macs).find((node) => node !== uuid) ??
    db.foundBmcs
      .where({ sql: 'node_uuid IS NOT NULL AND system_uuid IS NOT NULL AND node_uuid <> ?', values: [uuid] })
      .find(({ system_uuid: known }) => uuids.some((each) => isSameMachineUuid(each, known ?? '')))
      ?.node_uuid;
  if (other != null)
    throw new Stopped(
      `it is the machine of node ${other}: delete that node, or correct the address of its BMC`,
    );
}

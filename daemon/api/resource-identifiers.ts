// Finds the chassis, portgroup, runbook, image, expected machine or found BMC that a request names.
import { nameHint } from '../conductor/images/catalogue.ts';
import type { Services } from '../conductor/services.ts';
import type { Chassis } from '../model/records/chassis.ts';
import { fault } from '../model/faults.ts';
import type { Image } from '../model/instance/image.ts';
import type { Portgroup } from '../model/records/portgroup.ts';
import type { Runbook } from '../model/steps/step-lists.ts';
import type { ExpectedMachine } from '../model/zero-touch/expected-machine.ts';
import type { FoundBmc } from '../model/zero-touch/found-bmc.ts';
import { canonicalIp } from '../lib/network/ip.ts';
import { parseMac } from '../lib/network/mac.ts';
import { parseUuidOrThrow } from '../http/parameter-kinds.ts';
import { findByUuidOrName } from '../conductor/records/find-record.ts';

/** By UUID only. Throws InvalidUuid or ChassisNotFound. */
export function findChassis({ db }: Services, identifier: string): Chassis {
  const chassis = db.chassis.get(parseUuidOrThrow(identifier));
  if (chassis === undefined) throw fault('ChassisNotFound', { chassis: identifier });
  return chassis;
}

/** By UUID or name. Throws InvalidUuidOrName or PortgroupNotFound. */
export function findPortgroup({ db }: Services, identifier: string): Portgroup {
  const portgroup = findByUuidOrName(db.portgroups, identifier);
  if (portgroup === undefined) throw fault('PortgroupNotFound', { portgroup: identifier });
  return portgroup;
}

/** By UUID or name. Throws InvalidUuidOrName or RunbookNotFound. */
export function findRunbook({ db }: Services, identifier: string): Runbook {
  const found = findByUuidOrName(db.runbooks, identifier);
  if (found === undefined) throw fault('RunbookNotFound', { runbook: identifier });
  return found;
}

/** By UUID or name. Throws InvalidUuidOrName or ImageNotFound. */
export function findImage({ db }: Services, identifier: string): Image {
  const found = findByUuidOrName(db.images, identifier);
  if (found === undefined)
    throw fault('ImageNotFound', { image: identifier, hint: nameHint(db.images, 'image', identifier) });
  return found;
}

/** By UUID or name. Throws InvalidUuidOrName or ExpectedMachineNotFound. */
export function findExpectedMachine({ db }: Services, identifier: string): ExpectedMachine {
  const found = findByUuidOrName(db.expectedMachines, identifier);
  if (found === undefined) throw fault('ExpectedMachineNotFound', { machine: identifier });
  return found;
}

/** By UUID, IP address or MAC address. Throws FoundBmcNotFound. */
export function findFoundBmc({ db: { foundBmcs } }: Services, identifier: string): FoundBmc {
  const found =
    foundBmcs.get(identifier) ??
    foundBmcs.findBy('address', canonicalIp(identifier) ?? '') ??
    foundBmcs.findBy('mac', parseMac(identifier) ?? '');
  if (found === undefined) throw fault('FoundBmcNotFound', { bmc: identifier.slice(0, 255) });
  return found;
}

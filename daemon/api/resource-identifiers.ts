// How requests name chassis and portgroups.
import type { Services } from '../conductor/services.ts';
import { parseUuid } from '../lib/uuid.ts';
import type { Chassis } from '../model/chassis.ts';
import { fault } from '../model/faults.ts';
import type { Portgroup } from '../model/portgroup.ts';
import { isLogicalName } from './node-identifiers.ts';
import { parseUuidOrThrow } from './parameters.ts';

/** By UUID alone. Throws InvalidUuid or ChassisNotFound. */
export function findChassis({ db }: Services, identifier: string): Chassis {
  const chassis = db.chassis.get(parseUuidOrThrow(identifier));
  if (chassis === undefined) throw fault('ChassisNotFound', { chassis: identifier });
  return chassis;
}

/** By UUID or name. Throws InvalidUuidOrName or PortgroupNotFound. */
export function findPortgroup({ db }: Services, identifier: string): Portgroup {
  const uuid = parseUuid(identifier);
  const portgroup =
    (uuid === undefined ? undefined : db.portgroups.get(uuid)) ?? db.portgroups.findBy('name', identifier);
  if (portgroup !== undefined) return portgroup;
  if (uuid === undefined && !isLogicalName(identifier))
    throw fault('InvalidUuidOrName', { value: identifier });
  throw fault('PortgroupNotFound', { portgroup: identifier });
}

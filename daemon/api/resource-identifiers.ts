// Finds the chassis, portgroup or runbook that a request names.
import type { Services } from '../conductor/services.ts';
import type { Chassis } from '../model/records/chassis.ts';
import { fault } from '../model/faults.ts';
import type { Portgroup } from '../model/records/portgroup.ts';
import type { Runbook } from '../model/steps/step-lists.ts';
import { parseUuidOrThrow } from '../http/parameter-kinds.ts';
import { findByUuidOrName } from '../conductor/records/find/uuid-or-name.ts';

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

// Finds the records that a request body refers to: a missing one is a fault of the body (400), not a 404.
import type { Chassis } from '../../model/records/chassis.ts';
import { fault } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import type { Portgroup } from '../../model/records/portgroup.ts';
import type { RecordServices } from './services.ts';

export function findReferencedNode({ db }: RecordServices, uuid: string): Node {
  return db.nodes.get(uuid) ?? missing('node', uuid);
}

export function findReferencedChassis({ db }: RecordServices, uuid: string): Chassis {
  return db.chassis.get(uuid) ?? missing('chassis', uuid);
}

export function findReferencedPortgroup({ db }: RecordServices, uuid: string): Portgroup {
  return db.portgroups.get(uuid) ?? missing('portgroup', uuid);
}

function missing(resource: string, uuid: string): never {
  throw fault('InvalidParameter', {
    name: `${resource}_uuid`,
    reason: `${resource} ${uuid} could not be found`,
  });
}

// Portgroup records: create, change and delete, subject to the conductor's rules.
import { fault } from '../../../model/faults.ts';
import { type Portgroup, portgroupFields } from '../../../model/records/portgroup.ts';
import type { Port } from '../../../model/records/port.ts';
import { now } from '../../../lib/clock.ts';
import { changeSimpleRecord, createSimpleRecord, type SimpleKind } from '../simple-records.ts';
import { refuseStandalone } from './portgroup-membership.ts';
import { findReferencedNode } from '../referenced-records.ts';
import type { RecordServices } from '../services.ts';
import { refuseWrongMoment } from './connectivity-changes.ts';
import { withTask } from '../../tasks/run-task.ts';
import type { Call } from '../../tasks/services.ts';

const portgroups: SimpleKind<Portgroup> = {
  resource: 'portgroup',
  fields: portgroupFields,
  table: ({ db }) => db.portgroups,
};

type Changes = Partial<Portgroup>;

/** Takes no lock: a portgroup may be added while work on its node is running. */
export function createPortgroup(
  services: RecordServices,
  given: Changes & Pick<Portgroup, 'node_uuid'>,
): Portgroup {
  findReferencedNode(services, given.node_uuid);
  const mode = given.mode || services.config.DEFAULT.default_portgroup_mode;
  return createSimpleRecord(services, portgroups, { ...given, mode });
}

export interface PortgroupUpdate {
  readonly change: (portgroup: Portgroup) => Changes;
  readonly refuseFrozen: boolean;
}

export function updatePortgroup(
  call: Call<RecordServices>,
  { uuid, node_uuid }: Portgroup,
  { change, refuseFrozen }: PortgroupUpdate,
): Promise<Portgroup> {
  const { services } = call;
  return withTask(call, node_uuid, ({ node }) => {
    const portgroup = portgroupOrFault(services, uuid);
    const changes = change(portgroup);
    const members = services.db.ports.inPortgroup(uuid);
    refuseWrongMoment(node, portgroup, changes, {
      resource: 'Portgroup',
      wiring: members.length === 0 ? [] : ['physical_network'],
      refuseFrozen,
    });
    refuseMove(services, portgroup, changes, members);
    if (changes.standalone_ports_supported === false) refuseStandalone({ ...portgroup, ...changes }, members);
    return services.db.transaction(() => {
      if (changes.physical_network !== undefined) moveMembers(services, members, changes.physical_network);
      return changeSimpleRecord(services, portgroups, portgroup, changes);
    });
  });
}

function refuseMove(
  services: RecordServices,
  { uuid }: Portgroup,
  { node_uuid: target }: Changes,
  members: readonly Port[],
): void {
  if (target === undefined) return;
  findReferencedNode(services, target);
  if (members.length > 0)
    throw fault('PortgroupNotEmpty', { action: 'moved to another node', portgroup: uuid });
}

// all ports of a portgroup are on the same physical network
function moveMembers(
  services: RecordServices,
  members: readonly Port[],
  physicalNetwork: string | null,
): void {
  const changes = { physical_network: physicalNetwork, updated_at: now(services) };
  for (const { uuid } of members) services.db.ports.update(uuid, changes);
}

export function deletePortgroup(call: Call<RecordServices>, { uuid, node_uuid }: Portgroup): Promise<void> {
  const { services } = call;
  return withTask(call, node_uuid, () => {
    if (services.db.ports.inPortgroup(uuid).length > 0)
      throw fault('PortgroupNotEmpty', { action: 'deleted', portgroup: uuid });
    if (!services.db.portgroups.remove(uuid)) throw fault('PortgroupNotFound', { portgroup: uuid });
  });
}

function portgroupOrFault({ db }: RecordServices, uuid: string): Portgroup {
  const portgroup = db.portgroups.get(uuid);
  if (portgroup === undefined) throw fault('PortgroupNotFound', { portgroup: uuid });
  return portgroup;
}

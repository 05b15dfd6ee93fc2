// Port records: create, change and delete, subject to the conductor's rules.
import { vifAt } from '../../../model/records/vifs.ts';
import { fault } from '../../../model/faults.ts';
import type { Node } from '../../../model/records/node.ts';
import { type Port, type PortChanges, portFields } from '../../../model/records/port.ts';
import { now } from '../../../lib/clock.ts';
import { changePorts } from './change-ports.ts';
import { refuseWrongDhcpSettings } from './dhcp-settings.ts';
import { refuseDuplicates } from '../storable-record.ts';
import { newRecord } from '../new-record.ts';
import { fitPortgroup } from './portgroup-membership.ts';
import { findReferencedNode } from '../referenced-records.ts';
import type { RecordServices } from '../services.ts';
import { refuseWrongMoment } from './connectivity-changes.ts';
import { nodeOrFault, withTask } from '../../tasks/run-task.ts';
import type { Call } from '../../tasks/services.ts';

const PORT = { resource: 'port' };

/** Takes no lock: a port may be added while work on its node is running. */
export function createPort(
  services: RecordServices,
  given: PortChanges & Pick<Port, 'address' | 'node_uuid'>,
): Port {
  findReferencedNode(services, given.node_uuid);
  return services.db.transaction(() => {
    const port = fitPortgroup(services, newRecord<Port>(services, portFields, given), given);
    refuseWrongDhcpSettings(services, port);
    refuseDuplicates(PORT, port, () => services.db.ports.insert(port));
    services.db.afterCommit(() => services.networkBoots.refresh(port.node_uuid));
    return port;
  });
}

export interface PortUpdate {
  readonly change: (port: Port) => PortChanges;
  /** Whether to refuse changes in the frozen state, `inspecting`. Clients of API 1.38 and older may still make them. */
  readonly refuseFrozen: boolean;
  /** Whether to refuse changing a portgroup member's physical network: from API 1.102 it follows the portgroup's. */
  readonly portgroupsHaveNetwork: boolean;
}

export function updatePort(call: Call<RecordServices>, uuid: string, update: PortUpdate): Promise<Port> {
  const { services } = call;
  const { node_uuid } = portOrFault(services, uuid);
  return withTask(call, node_uuid, (task) => {
    const { node } = task;
    const port = portOrFault(services, uuid);
    const changes = update.change(port);
    refuseWrongMoment(node, port, changes, {
      resource: 'Port',
      wiring: WIRING,
      refuseFrozen: update.refuseFrozen,
    });
    if (update.portgroupsHaveNetwork) refuseOwnNetwork(port, changes);
    if (changes.node_uuid !== undefined) refuseForeignNode(services, node, changes.node_uuid);
    if (Object.keys(changes).length === 0) return port;
    return changePorts(task, () => {
      const changed = fitted(services, { ...port, ...changes, updated_at: now(services) }, changes);
      refuseWrongDhcpSettings(services, changed, port);
      refuseDuplicates(PORT, changed, () => services.db.ports.update(uuid, changed));
      return changed;
    });
  });
}

const WIRING = ['pxe_enabled', 'local_link_connection', 'portgroup_uuid', 'physical_network'] as const;
const MEMBERSHIP = ['node_uuid', 'portgroup_uuid', 'pxe_enabled', 'physical_network'] as const;

function refuseForeignNode(services: RecordServices, { owner }: Node, uuid: string): void {
  if (findReferencedNode(services, uuid).owner === owner) return;
  throw fault('InvalidParameter', {
    name: 'node_uuid',
    reason: `node ${uuid} has a different owner than the port's node`,
  });
}

// Checked only when a membership field changes: inspection may have stored a port that violates the rules
const fitted = (services: RecordServices, port: Port, changes: PortChanges): Port =>
  MEMBERSHIP.some((name) => changes[name] !== undefined) ? fitPortgroup(services, port, changes) : port;

function refuseOwnNetwork(port: Port, changes: PortChanges): void {
  const stays = port.portgroup_uuid !== null && changes.portgroup_uuid !== null;
  if (!stays || changes.physical_network === undefined) return;
  throw fault('InvalidParameter', {
    name: 'physical_network',
    reason: `port ${port.uuid} is in portgroup ${port.portgroup_uuid}; change the portgroup's physical_network instead`,
  });
}

export function deletePort(call: Call<RecordServices>, uuid: string): Promise<void> {
  const { services } = call;
  const port = portOrFault(services, uuid);
  return withTask(call, port.node_uuid, (task) => {
    const vif = vifAt(services.db.ports.get(uuid) ?? port);
    if (vif !== undefined && !task.node.maintenance)
      throw fault('InvalidState', {
        reason: `Port ${uuid} cannot be deleted: VIF ${vif} is attached to it. Detach it first, or set maintenance.`,
      });
    changePorts(task, () => services.db.ports.remove(uuid));
  });
}

function portOrFault(services: RecordServices, uuid: string): Port {
  const port = services.db.ports.get(uuid);
  if (port === undefined) throw fault('PortNotFound', { port: uuid });
  nodeOrFault(services, port.node_uuid);
  return port;
}

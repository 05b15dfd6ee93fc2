// Port records: create, change and delete, with the rules that the conductor keeps.
import { collidingColumn } from '../db/tables/statements.ts';
import { fault } from '../model/faults.ts';
import type { Node } from '../model/node.ts';
import type { Port, PortChanges } from '../model/port.ts';
import { permits } from '../model/provision-states.ts';
import { nodeOrFault, withTask } from './run-task.ts';
import { type Caller, now, type Services } from './services.ts';
import { newPort } from './task.ts';

/** Needs no lock: a port may be added while the node is at work. */
export function createPort(
  services: Services,
  given: PortChanges & Pick<Port, 'address' | 'node_uuid'>,
): Port {
  if (services.db.nodes.get(given.node_uuid) === undefined) {
    throw fault('InvalidParameter', {
      name: 'node_uuid',
      reason: `node ${given.node_uuid} could not be found`,
    });
  }
  const port = newPort(given.node_uuid, given.address, now(services), given);
  refuseDuplicates(port, () => services.db.ports.insert(port));
  return port;
}

export interface PortUpdate {
  readonly change: (port: Port) => PortChanges;
  readonly refuseWhileInspecting: boolean;
}

export function updatePort(
  services: Services,
  caller: Caller,
  uuid: string,
  update: PortUpdate,
): Promise<Port> {
  const { node_uuid } = portOrFault(services, uuid);
  return withTask(services, caller, node_uuid, ({ node }) => {
    const port = portOrFault(services, uuid);
    const changes = update.change(port);
    refuseWrongMoment(node, port, changes, update.refuseWhileInspecting);
    if (changes.node_uuid !== undefined) checkNewNode(services, changes.node_uuid);
    if (Object.keys(changes).length === 0) return port;
    const changed = { ...port, ...changes, updated_at: now(services) };
    refuseDuplicates(changed, () =>
      services.db.ports.update(uuid, { ...changes, updated_at: changed.updated_at }),
    );
    return changed;
  });
}

function checkNewNode(services: Services, uuid: string): void {
  if (services.db.nodes.get(uuid) === undefined) {
    throw fault('InvalidParameter', { name: 'node_uuid', reason: `node ${uuid} could not be found` });
  }
}

const WIRING = ['pxe_enabled', 'local_link_connection', 'physical_network'] as const;

function refuseWrongMoment(
  node: Node,
  port: Port,
  changes: PortChanges,
  refuseWhileInspecting: boolean,
): void {
  const what = mistimed(node, port, changes, refuseWhileInspecting);
  if (what === undefined) return;
  throw fault('InvalidState', {
    reason: `Port ${port.uuid} can not have ${what} changed while node ${node.uuid} is in state "${node.provision_state}". Maintenance lifts most such limits.`,
  });
}

function mistimed(
  node: Node,
  port: Port,
  changes: PortChanges,
  refuseWhileInspecting: boolean,
): string | undefined {
  if (refuseWhileInspecting && node.provision_state === 'inspecting') return 'any field';
  if (node.maintenance) return undefined;
  const inUse = node.instance_uuid !== null || node.provision_state === 'active';
  if (inUse && changes.address !== undefined && changes.address !== port.address) return 'its address';
  const rewirable =
    permits(node.provision_state, 'reconfigure') === true && node.provision_state !== 'available';
  return rewirable ? undefined : WIRING.find((name) => differs(port, changes, name));
}

const differs = (port: Port, changes: PortChanges, name: keyof Port): boolean =>
  changes[name] !== undefined && JSON.stringify(changes[name]) !== JSON.stringify(port[name]);

export function deletePort(services: Services, caller: Caller, uuid: string): Promise<void> {
  const port = portOrFault(services, uuid);
  return withTask(services, caller, port.node_uuid, () => {
    services.db.ports.remove(uuid);
  });
}

function portOrFault(services: Services, uuid: string): Port {
  const port = services.db.ports.get(uuid);
  if (port === undefined) throw fault('PortNotFound', { port: uuid });
  nodeOrFault(services, port.node_uuid);
  return port;
}

function refuseDuplicates(port: Port, write: () => unknown): void {
  try {
    write();
  } catch (error) {
    const column = collidingColumn(error);
    if (column === 'address') throw fault('DuplicateMac', { resource: 'port', mac: port.address });
    if (column === 'uuid') throw fault('DuplicateUuid', { resource: 'port', uuid: port.uuid });
    if (column === 'name') throw fault('DuplicateName', { resource: 'port', name: port.name ?? '' });
    throw error;
  }
}

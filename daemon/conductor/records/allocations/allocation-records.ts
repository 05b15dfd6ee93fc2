// Allocation records: create (for any suitable node, or for one already in use), resume after a restart, delete.
import { randomUUID } from 'node:crypto';
import { memberCondition } from '../../../db/tables/table.ts';
import { type Allocation, allocationFields } from '../../../model/records/allocation.ts';
import { fault, reasonOf } from '../../../model/faults.ts';
import type { Node } from '../../../model/records/node.ts';
import { permissionIn } from '../../../model/states/provision-states.ts';
import { allocate } from './allocate.ts';
import { mismatches } from './allocation-candidates.ts';
import { associate, dissociate } from './node-association.ts';
import { isBusy } from '../node-records.ts';
import { createSimpleRecord, type SimpleKind } from '../simple-records.ts';
import type { RecordServices } from '../services.ts';
import { withTask } from '../../tasks/run-task.ts';
import type { Call } from '../../tasks/services.ts';

export const allocationKind: SimpleKind<Allocation> = {
  resource: 'allocation',
  fields: allocationFields,
  table: (services) => services.db.allocations,
};

/** Stores the allocation and searches for a node in the background. Throws, storing nothing, when no worker is free. */
export function createAllocation(services: RecordServices, given: Partial<Allocation>): Allocation {
  const leave = services.workers.enter('request');
  try {
    const allocation = createSimpleRecord(services, allocationKind, given);
    void allocate(services, allocation.uuid).finally(leave);
    return allocation;
  } catch (error) {
    leave();
    throw error;
  }
}

/** Searches for a node for each allocation that a previous run of the daemon left unfinished, one allocation after the other. */
export function resumeAllocations(services: RecordServices): void {
  const unfinished = services.db.allocations.where(memberCondition('state', ['allocating']));
  if (unfinished.length === 0) return;
  const leave = services.workers.enter('background');
  const resume = async () => {
    for (const { uuid } of unfinished) await allocate(services, uuid);
  };
  void resume().finally(leave);
}

/**
 * Records the allocation of a node that is already in use. If that fails, stores the allocation in state `error` with
 * the reason and rethrows.
 */
export async function backfillAllocation(
  call: Call<RecordServices>,
  given: Partial<Allocation>,
  node: Node,
): Promise<Allocation> {
  const { services } = call;
  const uuid = given.uuid ?? node.instance_uuid ?? randomUUID();
  const wanted = { resource_class: node.resource_class, ...given, uuid };
  try {
    return await withTask(call, node.uuid, (task) =>
      services.db.transaction(() => {
        const allocation = createSimpleRecord(services, allocationKind, wanted);
        refuseUnfit(task.node, allocation);
        return associate(task, allocation);
      }),
    );
  } catch (error) {
    createSimpleRecord(services, allocationKind, { ...wanted, state: 'error', last_error: reasonOf(error) });
    throw error;
  }
}

function refuseUnfit(node: Node, allocation: Allocation): void {
  const reasons = [
    ...(permissionIn(node.provision_state, 'inUse') === true
      ? []
      : [`node ${node.uuid} is "${node.provision_state}", not "active"`]),
    ...mismatches(node, allocation),
  ];
  if (reasons.length > 0)
    throw fault('AllocationFailed', { allocation: allocation.uuid, reason: reasons.join('; ') });
  if (node.instance_uuid !== null && node.instance_uuid !== allocation.uuid)
    throw fault('NodeAssociated', { node: node.uuid, instance: node.instance_uuid });
}

/** Deletes the allocation and frees its node. Throws InvalidState while the node is in use or busy, except in maintenance. */
export async function deleteAllocation(
  call: Call<RecordServices>,
  { uuid, node_uuid }: Allocation,
): Promise<void> {
  const { services } = call;
  if (node_uuid === null) {
    services.db.allocations.remove(uuid);
    return;
  }
  await withTask(call, node_uuid, (task) => {
    if (task.node.allocation_uuid !== uuid) throw fault('AllocationNotFound', { allocation: uuid });
    refuseWhileUsed(task.node, uuid);
    dissociate(task);
  });
}

function refuseWhileUsed(node: Node, allocation: string): void {
  const used = permissionIn(node.provision_state, 'inUse') === true || isBusy(node);
  if (!used || node.maintenance) return;
  throw fault('InvalidState', {
    reason: `Allocation ${allocation} can not be removed while its node ${node.uuid} is in state "${node.provision_state}": undeploy the node, wait for its work to end, or set maintenance.`,
  });
}

// Associates a node with an allocation, and dissociates them: each in one transaction. The caller holds the node's lock.
import type { Allocation } from '../../../model/records/allocation.ts';
import type { NodeChanges } from '../../../model/records/node.ts';
import { refuseDuplicates } from '../storable-record.ts';
import type { RecordTask } from '../services.ts';

/**
 * Stores the allocation in the node and the node in the allocation. Returns the changed allocation. Throws InstanceAssociated
 * when another node already has the allocation's UUID as its `instance_uuid`.
 */
export function associate(task: RecordTask, allocation: Allocation): Allocation {
  const { db } = task.services;
  const { uuid, instance_info } = task.node;
  const taken = { node_uuid: uuid, state: 'active' as const, last_error: null };
  const given = {
    instance_uuid: allocation.uuid,
    allocation_uuid: allocation.uuid,
    instance_info: { ...instance_info, traits: allocation.traits },
  };
  return task.transaction(() => {
    refuseDuplicates({ resource: 'node' }, { uuid, ...given }, () => task.store(given));
    const changes = { ...taken, updated_at: task.node.updated_at };
    db.allocations.update(allocation.uuid, changes);
    return { ...allocation, ...changes };
  });
}

/** Removes the instance from the node, stores `changes` of the node, and deletes the node's allocation, if any. */
export function dissociate(task: RecordTask, changes: NodeChanges = {}): void {
  const { db } = task.services;
  const { allocation_uuid } = task.node;
  task.transaction(() => {
    if (allocation_uuid !== null) db.allocations.remove(allocation_uuid);
    task.store({ ...changes, instance_uuid: null, allocation_uuid: null });
  });
}

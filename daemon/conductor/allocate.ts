// The allocator: finds a node for an allocation and takes it.
import { sleep } from '../lib/clock.ts';
import type { Allocation } from '../model/allocation.ts';
import { fault, reasonOf } from '../model/faults.ts';
import { statesThat } from '../model/provision-states.ts';
import { candidatesFor } from './allocation-candidates.ts';
import { associate } from './node-association.ts';
import { now, type Services } from './services.ts';
import { NodeTask } from './task.ts';

/**
 * Takes a node for the allocation, or stores why there is none. Never rejects; an allocation that the end of the
 * service interrupts is left as it is, for the next start to resume. `random` gives numbers from 0 to 1.
 */
export async function allocate(
  services: Services,
  uuid: string,
  random: () => number = Math.random,
): Promise<void> {
  try {
    await search(services, uuid, random);
  } catch (error) {
    if (!services.stopping.aborted) recordFailure(services, uuid, error);
  }
}

function recordFailure(services: Services, uuid: string, error: unknown): void {
  services.log.error({ allocation: uuid, error }, 'allocation failed');
  const failed = { state: 'error', last_error: reasonOf(error), updated_at: now(services) } as const;
  try {
    services.db.allocations.update(uuid, failed);
  } catch (secondError) {
    services.log.error({ allocation: uuid, error: secondError }, 'the failure could not be recorded');
  }
}

async function search(services: Services, uuid: string, random: () => number): Promise<void> {
  const { node_locked_retry_attempts: attempts, node_locked_retry_interval: intervalSeconds } =
    services.config.conductor;
  for (let attempt = 1; ; attempt += 1) {
    const allocation = services.db.allocations.get(uuid);
    if (allocation === undefined) return;
    const busy = takeAny(services, allocation, random);
    if (busy === 0) return;
    if (attempt >= attempts) {
      throw fault('AllocationFailed', {
        allocation: uuid,
        reason: `all ${busy} suitable nodes stayed locked for ${attempt} tries ([conductor] node_locked_retry_attempts)`,
      });
    }
    await sleep(services.clock, intervalSeconds * 1000, services.stopping);
  }
}

/**
 * Takes the first candidate that is not locked: 0, or how many there are when all are. Nothing else can run between
 * the choice and the transaction, so what was chosen still holds when it is stored.
 */
function takeAny(services: Services, allocation: Allocation, random: () => number): number {
  const available = services.db.nodes.inStates(statesThat('allocate'));
  const candidates = candidatesFor(allocation, available, random);
  if (candidates.kind === 'none')
    throw fault('AllocationFailed', { allocation: allocation.uuid, reason: candidates.reason });
  for (const node of candidates.nodes) {
    const release = services.locks.tryAcquire(node.uuid);
    if (release === undefined) continue;
    try {
      associate(new NodeTask(services, node, null), allocation);
    } finally {
      release();
    }
    services.log.info({ allocation: allocation.uuid, node: node.uuid }, 'node allocated');
    return 0;
  }
  return candidates.nodes.length;
}

// The allocator: finds a node for an allocation and takes it.
import { writeFailure } from '../../../db/write-failure.ts';
import { sleep, now } from '../../../lib/clock.ts';
import type { Allocation } from '../../../model/records/allocation.ts';
import { fault, reasonOf } from '../../../model/faults.ts';
import { statesThat } from '../../../model/states/provision-states.ts';
import { candidatesFor } from './allocation-candidates.ts';
import { associate } from './node-association.ts';
import { untilWritten } from '../../tasks/settle.ts';
import { NodeTask } from '../../tasks/task.ts';
import type { RecordServices } from '../services.ts';

/**
 * Takes a node for the allocation, or stores why none could be taken. Never rejects. An allocation interrupted by a
 * shutdown stays unchanged and is resumed at the next start. `random` returns numbers from 0 to 1.
 */
export async function allocate(
  services: RecordServices,
  uuid: string,
  random: () => number = Math.random,
): Promise<void> {
  try {
    await search(services, uuid, random);
  } catch (error) {
    if (services.workers.closing.aborted) return;
    services.log.error({ allocation: uuid, error }, 'allocation failed');
    await recordFailure(services, uuid, error);
  }
}

async function recordFailure(services: RecordServices, uuid: string, error: unknown): Promise<void> {
  try {
    await untilWritten(services, () => {
      const failed = { state: 'error', last_error: reasonOf(error), updated_at: now(services) } as const;
      services.db.allocations.update(uuid, failed);
    });
  } catch (secondError) {
    services.log.error(
      { allocation: uuid, error: secondError },
      'the failure of the allocation could not be recorded',
    );
  }
}

async function search(services: RecordServices, uuid: string, random: () => number): Promise<void> {
  const { node_locked_retry_attempts: attempts, node_locked_retry_interval: intervalSeconds } =
    services.config.conductor;
  let failed = 0;
  for (;;) {
    const allocation = services.db.allocations.get(uuid);
    if (allocation === undefined) return;
    const obstacle = takeAny(services, allocation, random);
    if (obstacle === undefined) return;
    if (!obstacle.isTemporary) failed += 1;
    if (failed >= attempts) {
      throw fault('AllocationFailed', {
        allocation: uuid,
        reason: `the suitable nodes (${obstacle.candidates} at the last try) were locked at each of ${failed} tries ([conductor] node_locked_retry_attempts)`,
      });
    }
    await sleep(services.clock, intervalSeconds * 1000, services.workers.closing);
  }
}

/** Why a try took no node although some are suitable. */
interface Obstacle {
  /** How many nodes are suitable. */
  readonly candidates: number;
  /** Whether the obstacle is a power action, or a database that cannot be written. The try then does not count as failed. */
  readonly isTemporary: boolean;
}

/**
 * Takes the first candidate that is not locked; returns undefined on success. Choice and transaction run without an
 * `await` in between, so the node cannot change meanwhile.
 */
function takeAny(
  services: RecordServices,
  allocation: Allocation,
  random: () => number,
): Obstacle | undefined {
  const available = services.db.nodes.inStates(statesThat('allocate'));
  const found = candidatesFor(allocation, available, random);
  if (found.kind === 'none')
    throw fault('AllocationFailed', { allocation: allocation.uuid, reason: found.reason });
  const candidates = found.nodes.length;
  for (const node of found.nodes) {
    const release = services.locks.tryAcquire(node.uuid);
    if (release === undefined) continue;
    try {
      associate(new NodeTask({ services, caller: null }, node), allocation);
    } catch (error) {
      if (writeFailure(error) === undefined) throw error;
      return { candidates, isTemporary: true };
    } finally {
      release();
    }
    services.log.info({ allocation: allocation.uuid, node: node.uuid }, 'node allocated');
    return undefined;
  }
  return { candidates, isTemporary: found.nodes.some((node) => node.target_power_state !== null) };
}

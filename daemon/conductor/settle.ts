// What is left when work on a node threw: nothing stays half done, and the reason is recorded, however long the
// database cannot be written.
import { writeFailure } from '../db/write-failure.ts';
import { sleep } from '../lib/clock.ts';
import { reasonOf } from '../model/faults.ts';
import { classOf, isFailure } from '../model/provision-states.ts';
import { abandonWork, isHalfDone } from './abandon-work.ts';
import type { Services } from './services.ts';
import type { NodeTask } from './task.ts';

const RETRY_MILLISECONDS = 2000;

/**
 * Runs `write` until the database takes it. What then is still not written when the daemon stops is left for the next
 * start. Throws what `write` throws for other reasons.
 */
export async function untilWritten({ clock, log, workers }: Services, write: () => void): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return write();
    } catch (error) {
      const failure = writeFailure(error);
      if (failure === undefined) throw error;
      if (tries === 1)
        log.error({ reason: failure.message }, 'a failure is recorded as soon as it can be written');
    }
    try {
      await sleep(clock, RETRY_MILLISECONDS, workers.closing);
    } catch {
      return;
    }
  }
}

/** Ends what the task's work left recorded as running, or records why it ended. Never rejects. */
export async function settle(task: NodeTask, error: unknown): Promise<void> {
  try {
    await untilWritten(task.services, () => record(task, error));
  } catch (secondError) {
    task.log.error({ error: secondError }, 'the failure could not be recorded');
  }
}

function record(task: NodeTask, error: unknown): void {
  task.reload();
  const unwritten = writeFailure(error) !== undefined;
  const reason = unwritten
    ? `the database could not be written: ${reasonOf(error)}`
    : `unexpected failure: ${reasonOf(error)}. The log has the details`;
  if (isHalfDone(task.node)) abandonWork(task.services, task.node, { reason, eventType: 'conductor' });
  else if (lacksReason(task, unwritten)) {
    const event = `Work on the node ended early: ${reason}.`;
    task.transaction(() => task.store({ last_error: task.recordError({ event, eventType: 'conductor' }) }));
  }
}

/** A waiting flow goes on by itself. A failed state keeps its error, and so does work that recorded one before it threw. */
function lacksReason({ node }: NodeTask, unwritten: boolean): boolean {
  if (classOf(node.provision_state) === 'wait') return !unwritten && node.last_error === null;
  return node.last_error === null || (unwritten && !isFailure(node.provision_state));
}

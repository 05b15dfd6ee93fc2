// Settles a node after work on it threw: ends what is half done and records the reason, retrying as long as the
// database cannot be written.
import { writeFailure } from '../../db/write-failure.ts';
import { sleep } from '../../lib/clock.ts';
import { reasonOf } from '../../model/faults.ts';
import { classOf, isFailure, isHalfDone } from '../../model/states/provision-states.ts';
import { abandonWork } from './abandon-work.ts';
import type { NodeTask } from './task.ts';
import type { TaskServices } from './services.ts';

const RETRY_MILLISECONDS = 2000;

/**
 * Retries `write` until the database accepts it. Gives up when the daemon stops: the next start deals with the rest.
 * Throws any error of `write` that is not a failure to write the database.
 */
export async function untilWritten({ clock, log, workers }: TaskServices, write: () => void): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return write();
    } catch (error) {
      const failure = writeFailure(error);
      if (failure === undefined) throw error;
      if (tries === 1)
        log.error(
          { reason: failure.message },
          'the database cannot be written; a failure will be recorded as soon as it can be',
        );
    }
    try {
      await sleep(clock, RETRY_MILLISECONDS, workers.closing);
    } catch {
      return;
    }
  }
}

/** Ends the work that the node still shows as running, or records why the work ended. Never rejects. */
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

/**
 * Whether to set `last_error`: if the node has no error yet. There are two exceptions when a write to the database failed
 * (`unwritten`). A waiting node gets no error, because its work continues by itself. A node in any other state that is not a
 * failure gets the new error in place of an older one.
 */
function lacksReason({ node }: NodeTask, unwritten: boolean): boolean {
  if (classOf(node.provision_state) === 'wait') return !unwritten && node.last_error === null;
  return node.last_error === null || (unwritten && !isFailure(node.provision_state));
}

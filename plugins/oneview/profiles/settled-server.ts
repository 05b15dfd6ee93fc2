// Waits until the appliance has finished what it is doing to a server.
import type { JsonObject, Task } from '#plugin-api';
import { textOf } from '../appliance/answer.ts';
import { isPassingFault } from '../appliance/appliance.ts';
import { oneviewOptions } from '../options.ts';
import { readServer } from '../server/server-hardware.ts';
import { profileFailed } from './profile-faults.ts';

const PAUSE_SECONDS = 5;
const unsettled: ReadonlySet<string> = new Set(['ApplyingProfile', 'RemovingProfile', 'UpdatingFirmware']);

/**
 * Returns the server once the appliance neither applies nor removes a profile nor updates firmware. `isPatient`: also waits while the
 * appliance fails or does not answer. Throws OneviewProfileFailed when that takes longer than [oneview] profile_task_timeout.
 */
export async function settledServer(task: Task, isPatient = false): Promise<JsonObject> {
  const { clock, node } = task;
  const seconds = oneviewOptions(task).profile_task_timeout;
  const until = clock.monotonic() + seconds * 1000;
  for (let readings = 1; ; readings += 1) {
    const server = await serverOrReason(task, isPatient);
    const seen = typeof server === 'string' ? server : `its server is in state ${textOf(server, 'state')}`;
    if (typeof server !== 'string' && !unsettled.has(textOf(server, 'state'))) return server;
    // otherwise nothing would show why the node stays in its state
    if (readings === 1) await task.addNote(`Waiting for OneView: ${seen}`);
    if (clock.monotonic() >= until)
      throw profileFailed({ node: node.uuid, reason: `after ${seconds} s, ${seen}` });
    await clock.sleep(PAUSE_SECONDS * 1000);
  }
}

/** Returns the server, or why it cannot be read now. */
async function serverOrReason(task: Task, isPatient: boolean): Promise<JsonObject | string> {
  try {
    return await readServer(task, 'Reading who uses the server');
  } catch (error) {
    if (isPatient && isPassingFault(error)) return error.message;
    throw error;
  }
}

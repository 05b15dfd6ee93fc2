// Waits until the appliance has finished what it is doing to a server.
import type { JsonObject, Task } from '#plugin-api';
import { textOf } from '../appliance/answer.ts';
import { oneviewOptions } from '../options.ts';
import { readServer } from '../server/server-hardware.ts';
import { profileFailed } from './profile-faults.ts';

const PAUSE_SECONDS = 5;
const unsettled: ReadonlySet<string> = new Set(['ApplyingProfile', 'RemovingProfile', 'UpdatingFirmware']);

/**
 * Returns the server once the appliance neither applies nor removes a profile nor updates firmware. Throws
 * OneviewProfileFailed when that takes longer than [oneview] profile_task_timeout.
 */
export async function settledServer(task: Task): Promise<JsonObject> {
  const { clock, node } = task;
  const seconds = oneviewOptions(task).profile_task_timeout;
  const until = clock.monotonic() + seconds * 1000;
  for (;;) {
    const server = await readServer(task, 'Reading who uses the server');
    const state = textOf(server, 'state');
    if (!unsettled.has(state)) return server;
    if (clock.monotonic() >= until)
      throw profileFailed({
        node: node.uuid,
        reason: `its server is still in state ${state} after ${seconds} s`,
      });
    await clock.sleep(PAUSE_SECONDS * 1000);
  }
}

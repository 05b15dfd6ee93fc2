// Removes a server profile from the appliance.
import type { Task } from '#plugin-api';
import {
  type ApplianceAnswer,
  askAppliance,
  isPassingFault,
  isRefusal,
  isSilence,
  readFromAppliance,
} from '../appliance/appliance.ts';
import { taskEnd } from '../appliance/tasks.ts';
import { oneviewOptions } from '../options.ts';
import { profileFailed } from './profile-faults.ts';
import { settledServer } from './settled-server.ts';

const TRIES = 3;
/** How often, and how long after each other, a profile is looked for that may be on its way out. */
const LOOKS = 7;
const LOOK_PAUSE_SECONDS = 10;

/** Resolves when the profile does not exist any more. Throws OneviewProfileFailed or the faults of `ask`. */
export async function removeProfile(task: Task, profile: string): Promise<void> {
  const { node } = task;
  const answer = await requested(task, profile);
  if (answer === undefined) return;
  const end = await taskEnd(task, answer.task, oneviewOptions(task).profile_task_timeout);
  if (end.kind === 'done') return;
  // the server shows when the removal is over
  if (end.kind === 'lost') await settledServer(task, true);
  if (await isGone(task, profile, end.kind === 'lost' ? LOOKS : 1)) return;
  throw profileFailed({ node: node.uuid, reason: `${profile} was not removed: ${end.reason}` });
}

/** Sends the request, and repeats it if there is no answer. Returns undefined when the profile does not exist any more. */
async function requested(task: Task, profile: string): Promise<ApplianceAnswer | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await askAppliance(task, 'Removing the server profile', { method: 'DELETE', url: profile });
    } catch (error) {
      if (isRefusal(error, 404)) return undefined;
      if (!isSilence(error)) throw error;
      if (tries < TRIES) {
        await task.clock.sleep(1000);
        continue;
      }
      await settledServer(task);
      if (await isGone(task, profile, 1)) return undefined;
      throw error;
    }
  }
}

/** Looks `looks` times at most. */
async function isGone(task: Task, profile: string, looks: number): Promise<boolean> {
  try {
    await readFromAppliance(task, {
      operation: 'Looking for the server profile',
      url: profile,
      kind: 'profile',
    });
  } catch (error) {
    if (isRefusal(error, 404)) return true;
    if (!isPassingFault(error)) throw error;
  }
  if (looks === 1) return false;
  await task.clock.sleep(LOOK_PAUSE_SECONDS * 1000);
  return isGone(task, profile, looks - 1);
}

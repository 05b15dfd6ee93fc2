// Removes a server profile from the appliance.
import type { Task } from '#plugin-api';
import { type Answer, ask, isRefusal, isSilence } from '../appliance/appliance.ts';
import { taskEnd } from '../appliance/tasks.ts';
import { oneviewOptions } from '../options.ts';
import { profileFailed } from './profile-faults.ts';

const TRIES = 3;

/** Resolves when the profile does not exist any more. Throws OneviewProfileFailed or the faults of `ask`. */
export async function removeProfile(task: Task, profile: string): Promise<void> {
  const { node } = task;
  const answer = await requested(task, profile);
  if (answer === undefined) return;
  const end = await taskEnd(task, answer.task, oneviewOptions(task).profile_task_timeout);
  if (end.kind === 'done') return;
  if (await isGone(task, profile)) return;
  const reason = end.kind === 'failed' ? end.reason : `its task ${answer.task} is ${end.kind}`;
  throw profileFailed({ node: node.uuid, reason: `${profile} was not removed: ${reason}` });
}

/** Sends the request, and repeats it if there is no answer; returns undefined when the profile does not exist. */
async function requested(task: Task, profile: string): Promise<Answer | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask(task, 'Removing the server profile', { method: 'DELETE', url: profile });
    } catch (error) {
      if (isRefusal(error, 404)) return undefined;
      if (!isSilence(error) || tries === TRIES) throw error;
      await task.clock.sleep(1000);
    }
  }
}

async function isGone(task: Task, profile: string): Promise<boolean> {
  try {
    await ask(task, 'Looking for the server profile', { url: profile });
    return false;
  } catch (error) {
    return isRefusal(error, 404);
  }
}

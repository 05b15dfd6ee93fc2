// Waits for the tasks in which the appliance does work that takes time.
import { Fault, isJsonObject, type JsonObject, reasonOf, type Task } from '#plugin-api';
import { objectsIn, textOf } from './answer.ts';
import { isRefusal, readOnce } from './appliance.ts';

const FIRST_PAUSE_SECONDS = 1;
const LONGEST_PAUSE_SECONDS = 10;
/** After this many polls in a row that could not read the task, it counts as lost. */
const UNREAD_POLLS = 5;

const succeeded: ReadonlySet<string> = new Set(['Completed', 'Warning']);
const failed: ReadonlySet<string> = new Set(['Error', 'Terminated', 'Killed', 'Interrupted', 'Unknown']);

/**
 * `lost`: the appliance no longer knows the task, or does not show it. `overdue`: the task was not seen to end in time. Their
 * `reason` names the task and continues a sentence.
 */
export type TaskEnd =
  | { readonly kind: 'done'; readonly resource: string }
  | { readonly kind: 'failed'; readonly codes: readonly string[]; readonly reason: string }
  | { readonly kind: 'lost' | 'overdue'; readonly reason: string };

type Poll =
  | { readonly kind: 'end'; readonly end: TaskEnd }
  | { readonly kind: 'runs' | 'unread'; readonly seen: string };

/** Polls the task until it has ended. An empty `uri` counts as a lost task. Throws BmcCredentialsRefused. */
export async function taskEnd(task: Task, uri: string, timeoutSeconds: number): Promise<TaskEnd> {
  const { clock } = task;
  if (uri === '') return { kind: 'lost', reason: 'the appliance named no task' };
  const until = clock.monotonic() + timeoutSeconds * 1000;
  let pause = FIRST_PAUSE_SECONDS;
  for (let unread = 0; ;) {
    const poll = await lookAt(task, uri);
    if (poll.kind === 'end') return poll.end;
    unread = poll.kind === 'unread' ? unread + 1 : 0;
    const reason = `its task ${uri} ${poll.seen}`;
    if (unread === UNREAD_POLLS) return { kind: 'lost', reason };
    if (clock.monotonic() >= until) return { kind: 'overdue', reason: `${reason} after ${timeoutSeconds} s` };
    await clock.sleep(Math.min(pause * 1000, Math.max(0, until - clock.monotonic())));
    pause = Math.min(pause * 2, LONGEST_PAUSE_SECONDS);
  }
}

async function lookAt(task: Task, url: string): Promise<Poll> {
  try {
    const document = await readOnce(task, { operation: 'Waiting for the appliance', url, kind: 'task' });
    const end = endIn(document);
    if (end !== undefined) return { kind: 'end', end };
    const { percentComplete: percent } = document;
    return { kind: 'runs', seen: `was ${textOf(document, 'taskState')} (${Number(percent ?? 0)} %)` };
  } catch (error) {
    if (isRefusal(error, 404))
      return { kind: 'end', end: { kind: 'lost', reason: `its task ${url} is not known any more` } };
    if (!(error instanceof Fault) || error.code === 'BmcCredentialsRefused') throw error;
    const seen = `could not be read: ${reasonOf(error)}`;
    task.log.warn(
      { task: url, reason: reasonOf(error) },
      'the task could not be read; it will be read again',
    );
    return { kind: 'unread', seen };
  }
}

/** Returns undefined while the task runs. */
export function endIn(document: JsonObject): TaskEnd | undefined {
  const state = textOf(document, 'taskState');
  const { associatedResource } = document;
  const resource = isJsonObject(associatedResource) ? textOf(associatedResource, 'resourceUri') : '';
  if (succeeded.has(state)) return { kind: 'done', resource };
  if (!failed.has(state)) return undefined;
  const errors = objectsIn(document['taskErrors']);
  const shown = errors.map((one) => `${textOf(one, 'errorCode')}: ${textOf(one, 'message')}`);
  const reason = shown.join('; ') || textOf(document, 'taskStatus') || state;
  return { kind: 'failed', codes: errors.map((one) => textOf(one, 'errorCode')), reason };
}

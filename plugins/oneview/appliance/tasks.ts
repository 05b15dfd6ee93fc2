// Waits for the tasks in which the appliance does work that takes time.
import { Fault, isJsonObject, type JsonObject, reasonOf, type Task } from '#plugin-api';
import { textOf } from './answer.ts';
import { isRefusal, read } from './appliance.ts';

const FIRST_PAUSE_SECONDS = 1;
const LONGEST_PAUSE_SECONDS = 10;

const succeeded: ReadonlySet<string> = new Set(['Completed', 'Warning']);
const failed: ReadonlySet<string> = new Set(['Error', 'Terminated', 'Killed', 'Interrupted', 'Unknown']);

/** `lost`: the appliance no longer knows the task. `overdue`: the task was not seen to end in time. */
export type TaskEnd =
  | { readonly kind: 'done'; readonly resource: string }
  | { readonly kind: 'failed'; readonly codes: readonly string[]; readonly reason: string }
  | { readonly kind: 'lost' | 'overdue' };

/**
 * Polls the task until it has ended. A poll that fails is repeated until the time is over, except that BmcCredentialsRefused is
 * thrown at once. An empty `uri` counts as a lost task.
 */
export async function taskEnd(task: Task, uri: string, timeoutSeconds: number): Promise<TaskEnd> {
  const { clock } = task;
  const until = clock.monotonic() + timeoutSeconds * 1000;
  for (let pause = FIRST_PAUSE_SECONDS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_SECONDS)) {
    const end = uri === '' ? { kind: 'lost' as const } : await lookAt(task, uri);
    if (end !== undefined) return end;
    if (clock.monotonic() >= until) return { kind: 'overdue' };
    await clock.sleep(Math.min(pause * 1000, Math.max(0, until - clock.monotonic())));
  }
}

async function lookAt(task: Task, uri: string): Promise<TaskEnd | undefined> {
  try {
    return endIn(await read(task, 'Waiting for the appliance', uri));
  } catch (error) {
    if (isRefusal(error, 404)) return { kind: 'lost' };
    if (!(error instanceof Fault) || error.code === 'BmcCredentialsRefused') throw error;
    task.log.warn(
      { task: uri, reason: reasonOf(error) },
      'the task could not be read; it will be read again',
    );
    return undefined;
  }
}

/** Returns undefined while the task runs. */
export function endIn(document: JsonObject): TaskEnd | undefined {
  const state = textOf(document, 'taskState');
  const { associatedResource } = document;
  const resource = isJsonObject(associatedResource) ? textOf(associatedResource, 'resourceUri') : '';
  if (succeeded.has(state)) return { kind: 'done', resource };
  if (!failed.has(state)) return undefined;
  const errors = Array.isArray(document['taskErrors']) ? document['taskErrors'].filter(isJsonObject) : [];
  const shown = errors.map((one) => `${textOf(one, 'errorCode')}: ${textOf(one, 'message')}`);
  const reason = shown.join('; ') || textOf(document, 'taskStatus') || state;
  return { kind: 'failed', codes: errors.map((one) => textOf(one, 'errorCode')), reason };
}

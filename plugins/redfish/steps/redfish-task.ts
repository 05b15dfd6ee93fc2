// Follows the background work of a BMC: a Redfish task, whose monitor may vanish when the task has ended.
import type { JsonObject } from '#plugin-api';
import { objectIn, objectsIn, textIn } from '../bmc/fields.ts';
import type { Bmc } from '../bmc/bmc.ts';
import { refusalOf, type BmcAnswer } from '../bmc/redfish-client.ts';

export type TaskProgress =
  | { readonly kind: 'running' | 'succeeded' }
  /** `waiting`: the task begins when the machine boots. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'failed'; readonly reason: string }
  /** The BMC no longer knows the task: only the outcome shows how the task ended. */
  | { readonly kind: 'gone' };

const FAILED = new Set(['Exception', 'Killed', 'Cancelled', 'Interrupted', 'Suspended']);
const WAITING = new Set(['New', 'Starting', 'Pending', 'Service']);

/**
 * Returns the path of the task that carries out a request; undefined when the BMC has already carried out the request, or does not
 * name the task.
 */
export function taskOf({ status, body, location }: BmcAnswer): string | undefined {
  const isTask = status === 202 || body['TaskState'] !== undefined;
  return isTask ? (location ?? textIn(body['@odata.id'])) : undefined;
}

export async function readTask(bmc: Bmc, path: string): Promise<TaskProgress> {
  try {
    const { status, body } = await bmc.read(path);
    if (status === 200 && !isResult(body)) return { kind: 'running' };
    return progressIn(status, textIn(body['TaskState']), {
      status: textIn(body['TaskStatus']) ?? 'OK',
      messages: objectsIn(body['Messages']).flatMap(
        (message) => textIn(message['Message']) ?? textIn(message['MessageId']) ?? [],
      ),
    });
  } catch (error) {
    if ([404, 410].includes(refusalOf(error)?.status ?? 0)) return { kind: 'gone' };
    throw error;
  }
}

/** Whether the body can be a task, or the resource that a task made. Any other body, such as a proxy's page, says nothing of the task. */
const isResult = (body: JsonObject): boolean =>
  Object.keys(body).some((name) => name.startsWith('@') || name === 'TaskState') ||
  objectsIn(objectIn(body['error'])['@Message.ExtendedInfo']).some((info) =>
    textIn(info['MessageId'])?.endsWith('.Success'),
  );

interface Told {
  readonly status: string;
  readonly messages: readonly string[];
}

/** Some BMCs answer 202 although the task has ended, so the HTTP status counts only when the answer contains no state. */
export function progressIn(httpStatus: number, state: string | undefined, told: Told): TaskProgress {
  const reason =
    told.messages.join(' ').slice(0, 1000) || `the task ended as ${state ?? 'unknown'}, ${told.status}`;
  if (state === undefined) return { kind: httpStatus === 202 ? 'running' : 'succeeded' };
  if (FAILED.has(state)) return { kind: 'failed', reason };
  if (state === 'Completed')
    return told.status === 'Critical' ? { kind: 'failed', reason } : { kind: 'succeeded' };
  return { kind: WAITING.has(state) ? 'waiting' : 'running' };
}

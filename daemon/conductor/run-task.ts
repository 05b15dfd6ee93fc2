// Locks a node and runs work on it: while the caller waits, or in the background after the caller has its answer.
import { currentActivity, during } from '../lib/activity.ts';
import { fault, reasonOf } from '../model/faults.ts';
import type { Node } from '../model/node.ts';
import { type Caller, lockPatience, type Services } from './services.ts';
import { NodeTask } from './task.ts';

export type BackgroundWork = (task: NodeTask) => Promise<unknown>;

export function nodeOrFault(services: Services, uuid: string): Node {
  const node = services.db.nodes.get(uuid);
  if (node === undefined) throw fault('NodeNotFound', { node: uuid });
  return node;
}

const onNode = <T>(node: string, work: () => T): T => during({ ...currentActivity(), node }, work);

/** Runs `work` under the node's lock. Throws NodeLocked when the lock cannot be had in time. */
export async function withTask<T>(
  services: Services,
  caller: Caller | null,
  uuid: string,
  work: (task: NodeTask) => T | Promise<T>,
): Promise<T> {
  const release = await services.locks.acquire(uuid, lockPatience(services));
  try {
    return await onNode(uuid, () => work(new NodeTask(services, nodeOrFault(services, uuid), caller)));
  } finally {
    release();
  }
}

/**
 * The daemon's own work on a node: takes a worker, and gives up at once (undefined) when the node is locked. Throws
 * NoFreeWorker or ShuttingDown when no worker can be had.
 */
export async function withTaskIfFree<T>(
  services: Services,
  uuid: string,
  work: (task: NodeTask) => T | Promise<T>,
): Promise<T | undefined> {
  const leave = services.workers.enter('background');
  const release = services.locks.tryAcquire(uuid);
  try {
    if (release === undefined) return undefined;
    return await onNode(uuid, () => work(new NodeTask(services, nodeOrFault(services, uuid), null)));
  } finally {
    release?.();
    leave();
  }
}

/**
 * Locks the node, lets `prepare` check the request and store the transitional state, and runs the work it gives back
 * in the background with the lock kept. A worker is reserved first, so that a full pool changes nothing.
 */
export async function startTask(
  services: Services,
  caller: Caller | null,
  uuid: string,
  prepare: (task: NodeTask) => BackgroundWork | undefined | Promise<BackgroundWork | undefined>,
): Promise<void> {
  const release = await services.locks.acquire(uuid, lockPatience(services));
  const cleanUp = [release];
  try {
    cleanUp.unshift(services.workers.enter('request'));
    await handOver(new NodeTask(services, nodeOrFault(services, uuid), caller), prepare, cleanUp);
  } finally {
    for (const free of cleanUp) free();
  }
}

/** As `startTask` for the daemon's own work; gives up at once when the node is locked. */
export async function startTaskIfFree(
  services: Services,
  uuid: string,
  prepare: (task: NodeTask) => BackgroundWork | undefined,
): Promise<void> {
  const cleanUp = [services.workers.enter('background')];
  try {
    const release = services.locks.tryAcquire(uuid);
    if (release === undefined) return;
    cleanUp.push(release);
    await handOver(new NodeTask(services, nodeOrFault(services, uuid), null), prepare, cleanUp);
  } finally {
    for (const free of cleanUp) free();
  }
}

// `held` is freed when the work has ended, or stays with the caller when there is none
async function handOver(
  task: NodeTask,
  prepare: (task: NodeTask) => BackgroundWork | undefined | Promise<BackgroundWork | undefined>,
  held: (() => void)[],
): Promise<void> {
  const { uuid } = task.node;
  const work = await onNode(uuid, () => prepare(task));
  if (work === undefined) return;
  const passedOn = held.splice(0);
  void onNode(uuid, () => inBackground(task, work)).finally(() => {
    for (const free of passedOn) free();
  });
}

// A phase reports its own failures; what arrives here is a fault of the daemon, and still must not be silent
async function inBackground(task: NodeTask, work: BackgroundWork): Promise<void> {
  try {
    await work(task);
  } catch (error) {
    task.log.error({ error }, 'background work failed');
    recordUnexpected(task, error);
  }
}

function recordUnexpected(task: NodeTask, error: unknown): void {
  try {
    task.reload();
    if (task.node.last_error !== null) return;
    const event = `Unexpected failure: ${reasonOf(error)}. The log has the details.`;
    task.store({ last_error: task.recordError({ event, eventType: 'conductor' }) });
  } catch (secondError) {
    task.log.error({ error: secondError }, 'the failure could not be recorded');
  }
}

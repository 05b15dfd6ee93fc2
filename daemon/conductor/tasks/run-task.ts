// Locks a node and runs work on it: while the caller waits, or in the background after the caller has its answer.

// Locks, tasks and workers:
// - A lock belongs to one node and exists in memory only. Code that changes a node holds its lock from the first check
//   to the last write. A request waits in line for a lock for a while and then gets 409; periodic work skips a locked
//   node.
// - A task is one unit of work on one node for one caller. It holds the node's record, writes each change through to
//   the database at once, and composes the node's driver. A task that is opened without a lock may only read.
// - A worker is a slot for background work. Their number is fixed, and some are reserved for requests. Nothing waits
//   for a worker: if none is free, a request gets 503 before it has changed anything.
// - `startTask` runs a function that checks the request and stores the transitional state while the caller waits. The
//   work that this function returns inherits the lock and the worker; both are freed when the work ends. An error in
//   this work can no longer be returned to the caller: `settle` gives the node a defined state and a reason before
//   the lock is freed.
// - A node that waits for its ramdisk holds neither lock nor worker: its state is in the database, and a heartbeat
//   opens a new task.
import { activities } from '../../lib/loop-watch/activity.ts';
import { fault } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import { isHalfDone } from '../../model/states/provision-states.ts';
import { settle } from './settle.ts';
import { NodeTask } from './task.ts';
import type { Call, TaskServices } from './services.ts';

export type BackgroundWork<Used extends TaskServices = TaskServices> = (
  task: NodeTask<Used>,
) => Promise<unknown>;

type Prepare<Used extends TaskServices> = (
  task: NodeTask<Used>,
) => BackgroundWork<Used> | undefined | Promise<BackgroundWork<Used> | undefined>;

/** How many milliseconds a request waits for a node's lock: as long as all attempts take in Ironic. */
const lockPatience = ({ config: { conductor } }: TaskServices): number =>
  (conductor.node_locked_retry_attempts - 1) * conductor.node_locked_retry_interval * 1000;

/** Frees a lock or a worker. */
type Free = () => void;

export function nodeOrFault(services: TaskServices, uuid: string): Node {
  const node = services.db.nodes.get(uuid);
  if (node === undefined) throw fault('NodeNotFound', { node: uuid });
  return node;
}

const onNode = <T>(node: string, work: () => T): T =>
  activities.run({ ...activities.getStore(), node }, work);

/** Opens a task without locking the node, for work that changes nothing. */
export const openTask = <Used extends TaskServices>(context: Call<Used>, uuid: string): NodeTask<Used> =>
  new NodeTask(context, nodeOrFault(context.services, uuid));

/** Runs `work` under the node's lock. Throws NodeNotFound, or NodeLocked when it cannot acquire the lock in time. */
export async function withTask<T, Used extends TaskServices>(
  context: Call<Used>,
  uuid: string,
  work: (task: NodeTask<Used>) => T | Promise<T>,
): Promise<T> {
  const { services } = context;
  const release = await services.locks.acquire(uuid, lockPatience(services));
  return runLocked(() => openTask(context, uuid), [release], work);
}

/**
 * Like `withTask` for the daemon's own work: takes a worker, and resolves to undefined at once when the node is locked.
 * Throws NoFreeWorker or ShuttingDown when it gets no worker.
 */
export async function withTaskIfFree<T, Used extends TaskServices>(
  services: Used,
  uuid: string,
  work: (task: NodeTask<Used>) => T | Promise<T>,
): Promise<T | undefined> {
  const leave = services.workers.enter('background');
  const release = services.locks.tryAcquire(uuid);
  if (release === undefined) {
    leave();
    return undefined;
  }
  return runLocked(() => openTask({ services, caller: null }, uuid), [release, leave], work);
}

/** Like `withTaskIfFree`, but without the lock: another task may change the node meanwhile. */
export async function withTaskUnlocked<T, Used extends TaskServices>(
  services: Used,
  uuid: string,
  work: (task: NodeTask<Used>) => Promise<T>,
): Promise<T> {
  const leave = services.workers.enter('background');
  try {
    const task = openTask({ services, caller: null }, uuid);
    return await onNode(uuid, () => work(task));
  } finally {
    leave();
  }
}

/**
 * Locks the node and calls `prepare`, which checks the request, stores the transitional state and returns the work, if any. The
 * work runs in the background and keeps the lock. A worker is reserved before `prepare` runs, so that nothing has changed when
 * none is free.
 */
export async function startTask<Used extends TaskServices>(
  context: Call<Used>,
  uuid: string,
  prepare: Prepare<Used>,
): Promise<void> {
  const { services } = context;
  const held = [await services.locks.acquire(uuid, lockPatience(services))];
  const open = () => {
    held.unshift(services.workers.enter('request'));
    return openTask(context, uuid);
  };
  await runLocked(open, held, (task) => handOver(task, prepare, held));
}

/** Like `startTask`, for the daemon's own work: does nothing when the node is locked. */
export async function startTaskIfFree<Used extends TaskServices>(
  services: Used,
  uuid: string,
  prepare: (task: NodeTask<Used>) => BackgroundWork<Used> | undefined,
): Promise<void> {
  const held = [services.workers.enter('background')];
  const release = services.locks.tryAcquire(uuid);
  if (release === undefined) return free(held);
  held.push(release);
  const open = () => openTask({ services, caller: null }, uuid);
  await runLocked(open, held, (task) => handOver(task, prepare, held));
}

/** Runs `work`, then frees `held`. If `work` throws and has left the node half done, frees `held` only when the node is settled. */
async function runLocked<T, Used extends TaskServices>(
  open: () => NodeTask<Used>,
  held: Free[],
  work: (task: NodeTask<Used>) => T | Promise<T>,
): Promise<T> {
  try {
    const task = open();
    held.push(task.markLocked());
    const begun = isHalfDone(task.node);
    try {
      return await onNode(task.node.uuid, () => work(task));
    } catch (error) {
      if (!begun && leavesHalfDone(task)) keepUntil(settle(task, error), held);
      throw error;
    }
  } finally {
    free(held);
  }
}

function leavesHalfDone(task: NodeTask): boolean {
  try {
    const stored = task.services.db.nodes.get(task.node.uuid);
    return stored !== undefined && isHalfDone(stored);
  } catch {
    // the database cannot even be read: treat the node as half done
    return true;
  }
}

// Background work takes over `held` and frees it at its end; without such work the caller keeps it
async function handOver<Used extends TaskServices>(
  task: NodeTask<Used>,
  prepare: Prepare<Used>,
  held: Free[],
): Promise<void> {
  const work = await prepare(task);
  if (work !== undefined) keepUntil(inBackground(task, work), held);
}

function keepUntil(end: Promise<void>, held: Free[]): void {
  const passedOn = held.splice(0);
  void end.finally(() => free(passedOn));
}

function free(held: readonly Free[]): void {
  for (const each of held) each();
}

// Work records the failures that it expects; any other error is a fault of the daemon or its disk, and must be recorded too
async function inBackground<Used extends TaskServices>(
  task: NodeTask<Used>,
  work: BackgroundWork<Used>,
): Promise<void> {
  try {
    await work(task);
  } catch (error) {
    task.log.error({ error }, 'background work failed');
    await settle(task, error);
  }
}

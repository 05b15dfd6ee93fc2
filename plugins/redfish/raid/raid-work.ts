// Creates and deletes volumes, one at a time. The remaining work is recorded in the node, and each poll continues from this
// record.
import { defineFault, type JsonObject, type StepOutcome, type Task } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { converse } from '../bmc/converse.ts';
import { pathIn } from '../bmc/fields.ts';
import { refusalOf } from '../bmc/redfish-client.ts';
import { hasRamdisk, isSilent, isUnfinished, type Reboot, rebootOnce } from '../steps/reboot.ts';
import { readTask, taskOf } from '../steps/redfish-task.ts';
import { storedState } from '../steps/stored-state.ts';
import { wantedVolumes, type WantedVolume } from './requested-volumes.ts';
import { type Controller, isRaid, logicalDisks, readControllers } from './volumes.ts';
import { redfishLimits } from '../limits.ts';

const LENGTH = 10;
/** The apply times that are requested, the preferred one first. */
const APPLY_TIMES = ['Immediate', 'OnReset'];

const raidFailed = defineFault(
  'RaidFailed',
  500,
  'The {operation} of volumes of node {node} failed: {reason}.',
);

/** A volume to create, or the path of one to delete. */
type Item = WantedVolume | string;

interface State extends JsonObject {
  readonly operation: 'creation' | 'deletion';
  readonly pending: readonly Item[];
  /** What the last request creates or deletes; null: nothing has been requested yet. */
  readonly sent: Item | null;
  /** The path of the BMC's task for the last request; null: the BMC has named none. */
  readonly task: string | null;
  /** Whether the BMC was asked to do the work without a reboot. */
  readonly isImmediate: boolean;
  /** The reboot for the last request; null: none yet. */
  readonly reboot: Reboot | null;
  readonly intoRamdisk: boolean;
  /**
   * How many volumes there are once the last request has succeeded. When the BMC no longer knows the task, only this number shows
   * that the request has succeeded.
   */
  readonly expected: number;
  readonly since: number;
}

const stored = storedState<State>('raid_configs', ({ task }) => (task === null ? [] : [task]));

export const beginCreation = (task: Task, volumes: readonly WantedVolume[]): Promise<StepOutcome> =>
  begin(task, 'creation', volumes);

/** Throws RaidImpossible. */
export async function volumesFor(task: Task, disks: readonly JsonObject[]): Promise<readonly WantedVolume[]> {
  const controllers = await readAll(task);
  return wantedVolumes(
    task,
    disks,
    controllers.flatMap(({ drives }) => drives),
  );
}

export async function beginDeletion(task: Task): Promise<StepOutcome> {
  const controllers = await readAll(task);
  const paths = controllers.flatMap(({ volumes }) =>
    volumes.filter(isRaid).flatMap((volume) => pathIn(volume) ?? []),
  );
  return begin(task, 'deletion', paths);
}

async function begin(
  task: Task,
  operation: State['operation'],
  pending: readonly Item[],
): Promise<StepOutcome> {
  await stored.store(task, {
    operation,
    pending,
    sent: null,
    task: null,
    isImmediate: false,
    reboot: null,
    intoRamdisk: hasRamdisk(task),
    expected: 0,
    since: task.clock.now(),
  });
  return sendNext(task);
}

const readAll = (task: Task): Promise<readonly Controller[]> =>
  converse(task, { operation: 'Reading the storage', length: LENGTH }, readControllers);

/** Sends one request after the other until the BMC answers a request with a task, or all work is done. */
async function sendNext(task: Task): Promise<StepOutcome> {
  for (;;) {
    const state = stored.of(task);
    const [item, ...pending] = state?.pending ?? [];
    if (state === undefined || item === undefined) return finish(task);
    const controllers = await readAll(task);
    const controller = controllers.find((each) => isMeant(each, item));
    const time = APPLY_TIMES.find((each) => controller?.applyTimes.includes(each));
    const expected = volumeCount(controllers) + (state.operation === 'creation' ? 1 : -1);
    // stored before the request is sent: a daemon that is killed before it stores the answer must not repeat the request
    await stored.change(task, {
      pending,
      sent: item,
      task: null,
      isImmediate: time === 'Immediate',
      reboot: null,
      expected,
    });
    const path = await converse(
      task,
      { operation: `The ${state.operation} of a volume`, length: LENGTH },
      (bmc) => send(bmc, item, controller, time),
    );
    if (path !== undefined) {
      await stored.change(task, { task: path });
      return 'wait';
    }
  }
}

const volumeCount = (controllers: readonly Controller[]): number =>
  controllers.reduce((sum, { volumes }) => sum + volumes.filter(isRaid).length, 0);

const isMeant = ({ id, volumesPath }: Controller, item: Item): boolean =>
  typeof item === 'string' ? item.startsWith(`${volumesPath}/`) : id === item.controller;

/** Sends the request for one volume. Returns what `taskOf` returns for the BMC's answer. */
async function send(
  bmc: Bmc,
  item: Item,
  controller: Controller | undefined,
  time: string | undefined,
): Promise<string | undefined> {
  const apply = time === undefined ? {} : { '@Redfish.OperationApplyTime': time };
  if (typeof item === 'string') return taskOf(await deleted(bmc, item, apply));
  return taskOf(
    await bmc.post(controller?.volumesPath ?? '', {
      RAIDType: item.raidType,
      ...(item.bytes !== null && { CapacityBytes: item.bytes }),
      ...(item.name !== null && { Name: item.name }),
      Links: { Drives: item.drives.map((path) => ({ '@odata.id': path })) },
      ...apply,
    }),
  );
}

/**
 * Deletes a volume. If the BMC refuses the apply time, repeats the request without it: some BMCs list apply times that a deletion
 * does not accept.
 */
async function deleted(bmc: Bmc, path: string, apply: JsonObject) {
  try {
    return await bmc.delete(path, Object.keys(apply).length === 0 ? undefined : apply);
  } catch (error) {
    if (refusalOf(error)?.messages.includes('SYS029') !== true) throw error;
    return bmc.delete(path);
  }
}

/** Continues the work. Throws RaidFailed. */
export async function checkRaid(task: Task): Promise<StepOutcome> {
  const state = stored.of(task);
  if (state === undefined) return 'done';
  if (task.clock.now() - state.since > redfishLimits.raidSeconds * 1000)
    return failed(task, state, `it did not end within ${redfishLimits.raidSeconds} s`);
  try {
    return await followed(task, state);
  } catch (error) {
    if (isSilent(error)) return 'wait';
    throw error;
  }
}

async function followed(task: Task, state: State): Promise<StepOutcome> {
  const { task: path } = state;
  const progress = await converse(
    task,
    { operation: `Following the ${state.operation} of a volume` },
    (bmc) => (path === null ? Promise.resolve({ kind: 'gone' } as const) : readTask(bmc, path)),
  );
  if (progress.kind === 'failed') return failed(task, state, progress.reason);
  if (progress.kind === 'succeeded') return sendNext(task);
  if (progress.kind === 'gone' && volumeCount(await readAll(task)) === state.expected) return sendNext(task);
  if (progress.kind === 'running' && (state.isImmediate || state.reboot !== null)) return 'wait';
  if (state.reboot === null || (await isUnfinished(task, state.reboot)))
    await rebootOnce(task, state.intoRamdisk, (reboot) => stored.change(task, { reboot }));
  return 'wait';
}

async function finish(task: Task): Promise<'done'> {
  const disks = logicalDisks(await readAll(task));
  await stored.remove(task);
  await task.update({
    raid_config:
      disks.length === 0
        ? {}
        : { logical_disks: disks, last_updated: new Date(task.clock.now()).toISOString() },
  });
  return 'done';
}

async function failed(task: Task, { operation }: State, reason: string): Promise<never> {
  await stored.remove(task);
  throw raidFailed({ operation, node: task.node.uuid, reason });
}

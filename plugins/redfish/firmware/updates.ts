// Updates firmware, one component after the other. The request is recorded in the node, and each poll continues from this record.
import { defineFault, type JsonObject, type StepOutcome, type Task } from '#plugin-api';
import { converse } from '../bmc/converse.ts';
import { redfishOptions } from '../options.ts';
import { hasRamdisk, isSilent, isUnfinished, type Reboot, rebootOnce } from '../steps/reboot.ts';
import { readTask, type TaskProgress } from '../steps/redfish-task.ts';
import { storedState } from '../steps/stored-state.ts';
import { componentsSeen } from './components.ts';
import { deliver, plannedDelivery, refuseSwift } from './deliver-image.ts';
import { requestedUpdates, type Update } from './requested-updates.ts';

/** While driver_internal_info has this key, the power state of a BMC that does not answer is read as unknown, without a fault. */
export const UPDATES_KEY = 'redfish_fw_updates';

const updateFailed = defineFault(
  'FirmwareUpdateFailed',
  500,
  'The update of {component} of node {node} failed: {reason}.',
);

interface State extends JsonObject {
  /** The updates that are not finished; the first one is under way. */
  readonly remaining: readonly Update[];
  /** The version of the component before its update; null: not known. */
  readonly versionBefore: string | null;
  /** The path of the BMC's task; null: the BMC made none. */
  readonly task: string | null;
  /**
   * `unsent`: the BMC does not have the image yet. `begun`: the image is being sent or was sent, and the machine may have to
   * reboot. `rebooted`: the machine is rebooting or has rebooted. `answering`: the BMC must answer several times in a row.
   */
  readonly stage: 'unsent' | 'begun' | 'rebooted' | 'answering';
  /** Null: the machine has not been rebooted for this component yet. */
  readonly reboot: Reboot | null;
  readonly intoRamdisk: boolean;
  /** How many times in a row the BMC has answered. */
  readonly answers: number;
  /** When the whole step (`since`) and this stage (`stageSince`) began, in milliseconds since the epoch. */
  readonly since: number;
  readonly stageSince: number;
}

const stored = storedState<State>(UPDATES_KEY, ({ task }) => (task === null ? [] : [task]));

/** Gives the BMC the first image. Throws InvalidParameter before anything is sent. */
export async function beginUpdates(task: Task, given: JsonObject): Promise<StepOutcome> {
  refuseSwift(task);
  const remaining = requestedUpdates(given);
  const now = task.clock.now();
  await stored.store(task, {
    remaining,
    versionBefore: null,
    task: null,
    stage: 'unsent',
    reboot: null,
    intoRamdisk: hasRamdisk(task),
    answers: 0,
    since: now,
    stageSince: now,
  });
  try {
    await send(task);
  } catch (error) {
    await stored.remove(task);
    throw error;
  }
  return 'wait';
}

async function send(task: Task): Promise<void> {
  const state = stored.of(task);
  const [update] = state?.remaining ?? [];
  if (state === undefined || update === undefined) return;
  const delivery = await plannedDelivery(task, update);
  const { version: versionBefore, unread } = await versionSeen(task, update);
  // without the version before it, no later version would prove that the update succeeded
  if (versionBefore === null && unread.length > 0)
    throw failed(task, update, `its version cannot be read (${unread.join('; ')})`);
  const stageSince = task.clock.now();
  // stored before the image is sent: a daemon that is killed while it sends an image does not send it again
  await stored.change(task, {
    versionBefore,
    task: null,
    stage: 'begun',
    reboot: null,
    answers: 0,
    stageSince,
  });
  const path = await deliver(task, update, delivery);
  await stored.change(task, { task: path ?? null });
}

/** Continues the update. Throws FirmwareUpdateFailed. */
export async function checkUpdates(task: Task): Promise<StepOutcome> {
  const state = stored.of(task);
  const [update] = state?.remaining ?? [];
  if (state === undefined || update === undefined) return 'done';
  try {
    return await continued(task, state, update);
  } catch (error) {
    if (isSilent(error)) {
      await stored.change(task, { answers: 0 });
      return 'wait';
    }
    await stored.remove(task);
    throw error;
  }
}

async function continued(task: Task, state: State, update: Update): Promise<StepOutcome> {
  const { firmware_update_overall_timeout: limit } = redfishOptions(task);
  if (limit > 0 && task.clock.now() - state.since > limit * 1000)
    throw failed(
      task,
      update,
      `it did not end within ${limit} s ([redfish] firmware_update_overall_timeout)`,
    );
  if (state.stage === 'answering') return afterAnswers(task, state, update);
  if (state.stage !== 'unsent') return followed(task, state, update);
  // the daemon was killed, or the BMC did not answer, before the image was sent
  await send(task);
  return 'wait';
}

async function followed(task: Task, state: State, update: Update): Promise<StepOutcome> {
  const { task: path } = state;
  const progress = await converse(
    task,
    { operation: `Following the update of ${update.component}` },
    async (bmc): Promise<TaskProgress> => (path === null ? { kind: 'gone' } : readTask(bmc, path)),
  );
  const { version } = await versionSeen(task, update);
  const isNew = version !== null && version !== state.versionBefore;
  if (progress.kind === 'failed') throw failed(task, update, progress.reason);
  if (needsReboot(state, update, progress, isNew)) return rebooted(task, state);
  // a reboot is repeated only while the BMC's task still waits for a boot, never while the task may be flashing
  const mayBoot = progress.kind === 'waiting' && state.reboot !== null;
  if (mayBoot && (await isUnfinished(task, state.reboot))) return rebooted(task, state);
  if (isNew || (progress.kind === 'succeeded' && update.component !== 'bmc')) {
    await stored.change(task, { stage: 'answering', answers: 0, stageSince: task.clock.now() });
    return 'wait';
  }
  return outcomeSoFar(task, state, update, progress);
}

/** BIOS and adapters run their new firmware only after the machine has booted. */
function needsReboot(
  { stage }: State,
  { component }: Update,
  progress: TaskProgress,
  isNew: boolean,
): boolean {
  if (stage !== 'begun' || component === 'bmc' || isNew) return false;
  return component === 'bios' || progress.kind === 'waiting' || progress.kind === 'succeeded';
}

async function rebooted(task: Task, { intoRamdisk }: State): Promise<StepOutcome> {
  const stageSince = task.clock.now();
  await rebootOnce(task, intoRamdisk, (reboot) =>
    stored.change(task, { stage: 'rebooted', stageSince, reboot }),
  );
  return 'wait';
}

/**
 * In three cases only a new version within the time limit proves that the update succeeded: the BMC made no task, the BMC no longer
 * knows the task, or the task has succeeded but the component is the BMC itself.
 */
async function outcomeSoFar(
  task: Task,
  state: State,
  update: Update,
  { kind }: TaskProgress,
): Promise<StepOutcome> {
  const isOver = kind === 'gone' || kind === 'succeeded';
  const { firmware_update_reboot_delay: seconds } = redfishOptions(task);
  const allowed = Math.max(seconds, update.wait ?? 0) * 2000;
  if (!isOver || task.clock.now() - state.stageSince < allowed) return 'wait';
  throw failed(task, update, `its version is still ${state.versionBefore ?? 'unknown'}`);
}

/** The BMC must answer several times in a row before the next update begins or the step is done. */
async function afterAnswers(task: Task, state: State, update: Update): Promise<StepOutcome> {
  const { firmware_update_required_successes: required } = redfishOptions(task);
  const { version, unread } = await versionSeen(task, update);
  if (version === null && unread.length > 0) {
    await stored.change(task, { answers: 0 });
    return 'wait';
  }
  if (state.answers + 1 < required) {
    await stored.change(task, { answers: state.answers + 1 });
    return 'wait';
  }
  const [, ...remaining] = state.remaining;
  if (remaining.length === 0) {
    await stored.remove(task);
    return 'done';
  }
  await stored.change(task, { remaining, stage: 'unsent' });
  await send(task);
  return 'wait';
}

const failed = (task: Task, { component }: Update, reason: string) =>
  updateFailed({ component, node: task.node.uuid, reason });

/** The component's version, null when the BMC does not show it; and why it may not show it, for each unread part one line. */
async function versionSeen(task: Task, { component }: Update) {
  const { components, unread } = await componentsSeen(task);
  const seen = components.find((each) => each.component === component);
  // the version of the BIOS is in the system, which is never unread
  return { version: seen?.current_version ?? null, unread: component === 'bios' ? [] : unread };
}

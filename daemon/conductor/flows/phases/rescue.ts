// active -> rescuing -> rescue -> unrescuing -> active: boots a rescue system in place of the instance.
import { shaCrypt } from '../../../lib/sha-crypt.ts';
import { reasonOf } from '../../../model/faults.ts';
import { withoutAgentAndToken } from '../../tasks/agent-state.ts';
import { cleanUpAfter } from '../../tasks/clean-up.ts';
import { withoutPassword } from '../../tasks/rescue-password.ts';
import { unsupported } from '../../hardware/unsupported.ts';
import type { FlowTask, FlowWork } from '../services.ts';
import { rescueSystem } from '../awaited.ts';

const EVENT_TYPE = 'rescue';

/** Checks the request, stores the password's hash for the rescue system, and moves to `rescuing`. */
export async function beginRescue(
  task: FlowTask,
  { rescuePassword }: { readonly rescuePassword: string | null },
): Promise<FlowWork> {
  if (task.driver.rescue.rescue === undefined) throw unsupported(task, 'rescue', ['rescue', 'rescue']);
  await validate(task);
  const { node, services } = task;
  const { rescue_password_hash_algorithm: algorithm } = services.config.conductor;
  const hashed_rescue_password = shaCrypt(algorithm, rescuePassword ?? '');
  task.transition('rescue', {
    startsWork: true,
    changes: {
      ...withoutAgentAndToken(node),
      instance_info: { ...node.instance_info, hashed_rescue_password },
    },
  });
  return rescue;
}

async function validate(task: FlowTask): Promise<void> {
  await task.driver.power.validate(task.view);
  await task.driver.rescue.validate(task.view);
  await task.driver.network.validate(task.view);
}

async function rescue(task: FlowTask): Promise<void> {
  try {
    const prepared = await task.driver.rescue.rescue?.(task.view);
    if (prepared === 'wait') task.wait('wait', rescueSystem);
    else endRescue(task);
  } catch (error) {
    await failRescue(task, reasonOf(error));
  }
}

/** Finishes the rescue after the first heartbeat of the rescue system. */
export async function finishRescue(task: FlowTask): Promise<void> {
  try {
    task.transition('resume');
    await task.driver.rescue.finish?.(task.view);
    endRescue(task);
  } catch (error) {
    await failRescue(task, reasonOf(error));
  }
}

const endRescue = (task: FlowTask): void =>
  task.transition('done', {
    changes: { ...withoutAgentAndToken(task.node), ...withoutPassword(task.node) },
  });

/** Moves to `rescue failed` and cleans up. */
export async function failRescue(task: FlowTask, reason: string): Promise<void> {
  const error = task.recordError({ event: `Rescue failed: ${reason}`, eventType: EVENT_TYPE });
  task.transition('fail', { error, changes: withoutPassword(task.node) });
  await cleanUp(task);
}

/** Carries out an operator's `abort` in `rescue wait`. */
export function abortRescue(task: FlowTask): FlowWork {
  const error = task.recordError({ event: 'Rescue was aborted by request.', eventType: EVENT_TYPE });
  task.transition('abort', { error, changes: withoutPassword(task.node) });
  return cleanUp;
}

// when the clean-up fails, the node enters maintenance: parts of the rescue system may be left on the machine
async function cleanUp(task: FlowTask): Promise<void> {
  const cleaned = await cleanUpAfter(task, 'the rescue', EVENT_TYPE, () =>
    task.driver.rescue.cleanUp?.(task.view),
  );
  task.store(withoutAgentAndToken(task.node));
  if (cleaned) return;
  task.store({
    maintenance: true,
    maintenance_reason: task.node.last_error,
    fault: 'rescue abort failure',
  });
}

/** Checks whether the node can leave the rescue system, and moves to `unrescuing`. */
export async function beginUnrescue(task: FlowTask): Promise<FlowWork> {
  if (task.driver.rescue.unrescue === undefined) throw unsupported(task, 'unrescue');
  await validate(task);
  task.transition('unrescue', { startsWork: true });
  return unrescue;
}

async function unrescue(task: FlowTask): Promise<void> {
  try {
    await task.driver.rescue.unrescue?.(task.view);
    task.transition('done', { changes: withoutAgentAndToken(task.node) });
  } catch (error) {
    const event = `Failed to unrescue the node: ${reasonOf(error)}`;
    task.transition('fail', { error: task.recordError({ event, eventType: EVENT_TYPE }) });
  }
}

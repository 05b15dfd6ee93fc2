// Carries out a power action on a machine. The node records the target before the action and the outcome after it.
import { booleanOf } from '../../lib/words.ts';
import { fault, reasonOf } from '../../model/faults.ts';
import type { Node, NodeChanges } from '../../model/records/node.ts';
import {
  isPowerFailure,
  isSoft,
  powerFailure,
  type PowerTarget,
  resultOf,
} from '../../model/states/power-states.ts';
import { isFailure } from '../../model/states/provision-states.ts';
import { expectFirstBoot } from '../boot/first-boot.ts';
import { withoutAgent } from '../tasks/agent-state.ts';
import { withTask } from '../tasks/run-task.ts';
import type { HardwareTask } from './services.ts';

/**
 * Brings the machine to `target` through its power interface. Throws what `refuseForbiddenOff` throws. If the power interface
 * fails, clears `target_power_state`, records the failure and rethrows it.
 */
export async function changePower(
  task: HardwareTask,
  target: PowerTarget,
  timeoutSeconds?: number,
): Promise<void> {
  refuseForbiddenOff(task.node, target);
  const result = resultOf(target);
  const throughAgent = task.driver.power.throughAgent === true;
  // stored before contacting the machine, so that clients see the target at once
  task.store({
    target_power_state: result,
    ...clearError(task.node),
    ...(!throughAgent && forgetAgent(task.node, target)),
  });
  const record = (event: { readonly text: string; readonly failed?: true }) =>
    task.services.timeline.record({ hop: 'power', node: task.node.uuid, ...event });
  try {
    if (!(await alreadyThere(task, target))) {
      await changeSupply(task, target);
      // the machine may boot before its BMC confirms the change
      record({ text: `power requested: ${target}` });
      expectFirstBoot(task.services, task.node.uuid);
      await task.driver.power.setPowerState(
        task.view,
        target,
        timeoutSeconds ?? defaultTimeout(task, target),
      );
      task.log.info({ target, power_state: result }, 'power state changed');
      record({ text: `power changed: ${target}` });
    }
    task.store({
      power_state: result,
      target_power_state: null,
      ...(throughAgent && forgetAgent(task.node, target)),
    });
  } catch (error) {
    const reason = powerFailure(target, reasonOf(error));
    task.log.error({ target, reason }, 'power action failed');
    record({ text: reason, failed: true });
    task.store({
      target_power_state: null,
      last_error: task.recordError({ event: reason, eventType: 'power' }),
    });
    throw error;
  }
}

/**
 * Powers the parent of a node on before the node, and the children off before their parent, as far as they share its power supply.
 * Throws if a machine cannot be powered, or its node is locked.
 */
async function changeSupply(task: HardwareTask, target: PowerTarget): Promise<void> {
  const { node, services } = task;
  if (target === 'power on' && node.parent_node !== null && sharesSupply(node))
    await powerRelative(task, node.parent_node, { relation: 'parent', target });
  if (resultOf(target) !== 'power off') return;
  const children = services.db.nodes.childrenOf(node.uuid).map((uuid) => services.db.nodes.get(uuid));
  for (const child of children)
    if (child !== undefined && sharesSupply(child))
      await powerRelative(task, child.uuid, { relation: 'child', target });
}

const sharesSupply = ({ driver_info: { has_dedicated_power_supply: own } }: Node): boolean =>
  own !== true && booleanOf(typeof own === 'string' ? own : '') !== true;

async function powerRelative(
  task: HardwareTask,
  uuid: string,
  { relation, target }: { readonly relation: 'child' | 'parent'; readonly target: PowerTarget },
): Promise<void> {
  try {
    await withTask(task, uuid, async (relative) => {
      if (!(await alreadyThere(relative, target))) await changePower(relative, target);
    });
  } catch (error) {
    throw fault('PowerStateFailure', {
      target,
      node: task.node.uuid,
      reason: `its ${relation} node ${uuid}, which shares its power supply, could not be changed to "${target}": ${reasonOf(error)}. Set driver_info/has_dedicated_power_supply of the child node if it has its own supply`,
    });
  }
}

/** Whether powering the machine off is allowed, and possible through its power interface. */
export const canPowerOff = ({ node, driver }: HardwareTask): boolean =>
  !node.disable_power_off && driver.power.throughAgent !== true;

/** Throws PowerStateFailure when `target` powers the machine off although the node has `disable_power_off`. */
export function refuseForbiddenOff(node: Node, target: PowerTarget): void {
  if (node.disable_power_off && resultOf(target) === 'power off') {
    throw fault('PowerStateFailure', {
      target,
      node: node.uuid,
      reason: 'disable_power_off is set on the node',
    });
  }
}

// A reboot is always carried out; "on" and "off" only if the machine is not yet in that state
async function alreadyThere(task: HardwareTask, target: PowerTarget): Promise<boolean> {
  if (target === 'rebooting' || target === 'soft rebooting') return false;
  const current = await task.driver.power.getPowerState(task.view);
  return current === resultOf(target);
}

/**
 * Returns the changes that clear `last_error` when work starts; none in a failed state whose reason `last_error` tells. After a
 * power action that failed there, it tells no more than that.
 */
export const clearError = ({ provision_state: state, last_error: error }: Node): NodeChanges =>
  isFailure(state) && !isPowerFailure(error ?? '') ? {} : { last_error: null };

// The ramdisk's agent ends when the machine is powered off or rebooted
const forgetAgent = (node: Node, target: PowerTarget): NodeChanges =>
  target === 'power on' ? {} : withoutAgent(node);

function defaultTimeout(task: HardwareTask, target: PowerTarget): number {
  const { power_state_change_timeout, soft_power_off_timeout } = task.services.config.conductor;
  return isSoft(target) ? soft_power_off_timeout : power_state_change_timeout;
}

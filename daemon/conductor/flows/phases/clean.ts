// Cleaning. Automated cleaning runs on the way to `available`, after `provide` or a tear-down. Manual cleaning runs by request;
// it starts in `manageable` and returns there.
import { refuseOtherHardware } from '../../inspection/hardware.ts';
import { pairsOf } from '../../../config/sections/typed-options.ts';
import { fault, reasonOf } from '../../../model/faults.ts';
import type { Node } from '../../../model/records/node.ts';
import { planAvailable } from '../../../model/steps/planned-steps.ts';
import { next } from '../../../model/states/provision-states.ts';
import { type RequestedStep, type Runbook, stepName } from '../../../model/steps/step-lists.ts';
import { cleanUpAfter } from '../../tasks/clean-up.ts';
import { cacheHardwareState } from '../../hardware/cache-hardware-state.ts';
import { currentStep, requestedSteps } from '../steps/flow-record.ts';
import { availableSteps } from '../steps/available-steps.ts';
import {
  maintenanceAfterFailedStep,
  changesToBegin,
  endFlow,
  type RamdiskPhase,
  requestedPlan,
  startFlow,
  validateForFlow,
} from '../steps/ramdisk-flow.ts';
import { enterFlow } from '../steps/run-flow.ts';
import type { FlowServices, FlowTask, FlowWork } from '../services.ts';
import { withoutMaintenance } from '../../records/maintenance.ts';
import { canPowerOff, changePower } from '../../hardware/change-power.ts';
import { NodeTask } from '../../tasks/task.ts';

const flowOf = ({ target_provision_state: target }: Node) =>
  target === 'manageable' ? 'manual_cleaning' : 'automated_cleaning';

export const cleaning: RamdiskPhase = {
  name: 'clean',
  prepare: 'prepareCleaning',
  tearDown: 'tearDownCleaning',
  flow: flowOf,
  plan(task) {
    const requested = requestedSteps(task.node, 'clean');
    return requested === undefined
      ? planAvailable('clean', availableSteps(task, 'clean'))
      : requestedPlan(task, 'clean', requested);
  },
  startsOver: ({ node }) => requestedSteps(node, 'clean') === undefined,
  async finish(task) {
    const ended = await endFlow(task, cleaning, 'always');
    const changes = { ...ended, ...(await cacheHardwareState(task)) };
    const { target_provision_state: target, retired } = task.node;
    return { event: target === 'manageable' || retired ? 'manage' : 'done', changes };
  },
  async fail(task, reason) {
    const error = task.recordError({ event: `Cleaning failed: ${reason}`, eventType: endOf(task) });
    task.transition('fail', { error, changes: maintenanceAfterFailedStep(task, cleaning, error) });
    await cleanUp('on_failure')(task);
    if (task.services.config.conductor.poweroff_in_cleanfail && canPowerOff(task))
      await cleanUpAfter(task, 'cleaning', endOf(task), () => changePower(task, 'power off'));
  },
  abort(task) {
    const step = currentStep(task.node, 'clean');
    const event = `Cleaning was aborted by request${step ? ` at step ${stepName(step)}` : ''}.`;
    const error = task.recordError({ event, eventType: endOf(task) });
    const { provision_state: state } = task.node;
    task.transition(next(state, 'abort') === undefined ? 'fail' : 'abort', { error });
    return cleanUp('always');
  },
};

const endOf = ({ node }: FlowTask) => `${flowOf(node)}_end`;

const cleanUp =
  (logs: 'always' | 'on_failure'): FlowWork =>
  (task) =>
    cleanUpAfter(task, 'cleaning', endOf(task), async () => task.store(await endFlow(task, cleaning, logs)));

/** Checks the request and moves to `cleaning`, with `manageable` as the target. */
export async function beginManualCleaning(
  task: FlowTask,
  request: { readonly steps: readonly RequestedStep[]; readonly disableRamdisk: boolean },
): Promise<FlowWork> {
  await validateForFlow(task, !request.disableRamdisk);
  task.transition('clean', {
    startsWork: true,
    target: 'manageable',
    changes: changesToBegin(task, cleaning, request.steps),
  });
  return (running) =>
    enterFlow(running, cleaning, () => startFlow(running, cleaning, !request.disableRamdisk));
}

export const cleansAutomatically = ({ config }: FlowServices, node: Node): boolean =>
  node.automated_clean ?? config.conductor.automated_clean;

/** Runs in state `cleaning` on the way to `available`; ends at once when the node is not cleaned automatically. */
export async function cleanAutomatically(task: FlowTask): Promise<void> {
  if (!cleansAutomatically(task.services, task.node)) return task.transition('done');
  await enterFlow(task, cleaning, async () => {
    const runbook = cleaningRunbook(task.services, task.node);
    task.store(changesToBegin(task, cleaning, runbook && inOrder(runbook)));
    const allowed = runbook?.disable_ramdisk !== true;
    await validateForFlow(task, allowed);
    await startFlow(task, cleaning, allowed);
  });
}

/** Throws when the node must not become available, or must be cleaned but cannot be. */
export async function validateForProvide(task: FlowTask): Promise<void> {
  const { node, services } = task;
  if (node.retired) throw fault('NodeIsRetired', { action: 'provide', node: node.uuid });
  refuseOtherHardware(services, node);
  if (node.maintenance && !services.config.conductor.allow_provisioning_in_maintenance) {
    throw fault('NodeInMaintenance', { action: 'provide', node: node.uuid });
  }
  if (cleansAutomatically(services, node)) {
    cleaningRunbook(services, node);
    await refuseUncleanable(task);
  }
}

/** Moves to `cleaning`. Throws as `validateForProvide` does, but not for maintenance if the request ends the maintenance. */
export async function beginProvide(
  task: FlowTask,
  { endsMaintenance = false }: { readonly endsMaintenance?: boolean },
): Promise<FlowWork> {
  const changes = endsMaintenance ? withoutMaintenance : {};
  await validateForProvide(new NodeTask(task, { ...task.node, ...changes }));
  task.transition('provide', { startsWork: true, changes });
  if (endsMaintenance) task.recordInfo({ event: 'Maintenance ends.', eventType: 'driver' });
  return cleanAutomatically;
}

// On a machine that cannot be cleaned, the data of one tenant would reach the next tenant
async function refuseUncleanable(task: FlowTask): Promise<void> {
  const { deploy } = task.driver;
  if (deploy.prepareCleaning !== undefined) return;
  try {
    await deploy.validate(task.view);
  } catch (error) {
    throw fault('Uncleanable', { node: task.node.uuid, reason: reasonOf(error) }, { cause: error });
  }
}

export const inOrder = ({ steps }: Runbook) => steps.toSorted((a, b) => a.order - b.order);

/** Returns the runbook for automated cleaning, if any. Throws RunbookNotFound, RunbookNotApproved or Invalid. */
export function cleaningRunbook({ config, db }: FlowServices, node: Node): Runbook | undefined {
  const { automated_cleaning_step_source: source } = config.conductor;
  const identifier = source === 'autogenerated' ? undefined : runbookName(config.conductor, node);
  if (identifier === undefined) {
    if (source !== 'runbook') return undefined;
    throw fault('Invalid', {
      reason: `Node ${node.uuid} has no runbook for automated cleaning, but [conductor] automated_cleaning_step_source requires one. Set [conductor] automated_cleaning_runbook.`,
    });
  }
  const runbook = db.runbooks.get(identifier) ?? db.runbooks.findBy('name', identifier);
  if (runbook === undefined) throw fault('RunbookNotFound', { runbook: identifier });
  const shared = runbook.traits.some((trait) => node.traits.includes(trait));
  if (shared || !config.conductor.automated_cleaning_runbook_validate_traits) return runbook;
  throw fault('RunbookNotApproved', {
    runbook: runbook.name,
    node: node.uuid,
    reason: `the node has none of the runbook's traits (${runbook.traits.join(', ') || 'the runbook has none'})`,
  });
}

function runbookName(conductor: FlowServices['config']['conductor'], node: Node): string | undefined {
  const { cleaning_runbook: ofNode } = node.driver_info;
  if (conductor.automated_cleaning_runbook_from_node && typeof ofNode === 'string') return ofNode;
  const ofClass = pairsOf(conductor.automated_cleaning_runbook_by_resource_class).get(
    node.resource_class ?? '',
  );
  return ofClass ?? conductor.automated_cleaning_runbook ?? undefined;
}

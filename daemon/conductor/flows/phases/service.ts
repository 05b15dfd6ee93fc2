// active -> servicing -> active: runs steps on a machine in use, whose instance is stopped if the steps need a ramdisk.
import { fault } from '../../../model/faults.ts';
import { isFailure } from '../../../model/states/provision-states.ts';
import { type RequestedStep, stepName } from '../../../model/steps/step-lists.ts';
import { clearFlow } from '../../../model/steps/clear-flow.ts';
import { cleanUpAfter } from '../../tasks/clean-up.ts';
import { cacheHardwareState } from '../../hardware/cache-hardware-state.ts';
import { currentStep, requestedSteps } from '../steps/flow-record.ts';
import {
  maintenanceAfterFailedStep,
  changesToBegin,
  endFlow,
  keepLogs,
  type RamdiskPhase,
  requestedPlan,
  startFlow,
  validateForFlow,
} from '../steps/ramdisk-flow.ts';
import { enterFlow } from '../steps/run-flow.ts';
import type { FlowTask, FlowWork } from '../services.ts';

export const servicing: RamdiskPhase = {
  name: 'service',
  prepare: 'prepareService',
  tearDown: 'tearDownService',
  flow: () => 'servicing',
  plan: (task) => requestedPlan(task, 'service', requestedSteps(task.node, 'service') ?? []),
  async finish(task) {
    const ended = await endFlow(task, servicing, 'always');
    return { event: 'done', changes: { ...ended, ...(await cacheHardwareState(task)) } };
  },
  // keeps the ramdisk: the operator either services the node again, or aborts to return to the instance
  async fail(task, reason) {
    const error = task.recordError({ event: `Servicing failed: ${reason}`, eventType: 'servicing_end' });
    const changes = {
      ...clearFlow(task.node, 'service'),
      ...maintenanceAfterFailedStep(task, servicing, error),
    };
    task.transition('fail', { error, changes });
    await keepLogs(task, servicing, 'on_failure');
  },
  abort(task) {
    const { provision_state: state } = task.node;
    if (isFailure(state) && task.node.maintenance)
      throw fault('InvalidState', {
        reason: `Node ${task.node.uuid} is in maintenance. Find out why its servicing failed, and clear the maintenance flag before you abort the servicing.`,
      });
    const step = currentStep(task.node, 'service');
    const event = `Servicing was aborted by request${step ? ` at step ${stepName(step)}` : ''}.`;
    const error = task.recordError({ event, eventType: 'servicing_end' });
    if (!isFailure(state)) task.transition('fail', { error });
    task.transition('abort', { error });
    return (running) =>
      cleanUpAfter(running, 'servicing', 'servicing_end', async () =>
        running.store(await endFlow(running, servicing, 'always')),
      );
  },
};

/** Checks the request and moves to `servicing`. */
export async function beginService(
  task: FlowTask,
  request: { readonly steps: readonly RequestedStep[]; readonly disableRamdisk: boolean },
): Promise<FlowWork> {
  await validateForFlow(task, !request.disableRamdisk);
  task.transition('service', { startsWork: true, changes: changesToBegin(task, servicing, request.steps) });
  return (running) =>
    enterFlow(running, servicing, () => startFlow(running, servicing, !request.disableRamdisk));
}

// The phases that run steps, and the operator's requests to a running flow: abort and unhold.
import type { Node } from '../../../model/records/node.ts';
import { permissionIn } from '../../../model/states/provision-states.ts';
import type { StepPhase } from '../../../model/steps/step-phases.ts';
import { heartbeat } from '../awaited.ts';
import { currentStep, storeAbort } from '../steps/flow-record.ts';
import type { Phase } from '../steps/phase.ts';
import { enterFlow, resumeAfter } from '../steps/run-flow.ts';
import type { FlowTask, FlowWork } from '../services.ts';
import { cleaning } from './clean.ts';
import { deployment } from './deploy.ts';
import { servicing } from './service.ts';
import { verification } from './verify.ts';

const phases: Readonly<Record<StepPhase, Phase>> = {
  verify: verification,
  clean: cleaning,
  deploy: deployment,
  service: servicing,
};

/** Returns the phase whose steps are running, waiting, on hold or failed in the node's state. */
export function phaseOf({ provision_state: state }: Pick<Node, 'provision_state'>): Phase | undefined {
  const name = permissionIn(state, 'steps');
  return name && phases[name];
}

/**
 * Carries out an operator's `abort` and returns the clean-up work. Returns undefined if the current step is not abortable: the
 * flow is then aborted after the step.
 */
export function abortFlow(task: FlowTask, phase: Phase): FlowWork | undefined {
  const step = currentStep(task.node, phase.name);
  if (step === undefined || step.abortable) return phase.abort?.(task);
  storeAbort(task, phase.name);
  return undefined;
}

/** Carries out an operator's `unhold`: the flow continues after the `hold` step. */
export function endHold(task: FlowTask, phase: Phase): FlowWork {
  task.wait('unhold', heartbeat(task.node, ', which continues after step hold'), { startsWork: true });
  return (running) => enterFlow(running, phase, () => resumeAfter(running, phase, 'done'));
}

// The phases of a node's life that are made of steps, and the events that reach a flow from outside.
import { permits } from '../../model/provision-states.ts';
import type { StepPhase } from '../../model/step-phases.ts';
import type { BackgroundWork } from '../run-task.ts';
import { currentStep, keepAbort } from '../steps/flow-record.ts';
import type { Phase } from '../steps/phase.ts';
import { goOn } from '../steps/run-flow.ts';
import type { NodeTask } from '../task.ts';
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

/** The phase whose steps run, wait, hold or have failed in the node's state. */
export function phaseOf({ provision_state: state }: NodeTask['node']): Phase | undefined {
  const name = permits(state, 'steps');
  return name && phases[name];
}

/** An operator's `abort`. A step that may not be ended half-way ends first. */
export function abortFlow(task: NodeTask, phase: Phase): BackgroundWork | undefined {
  const step = currentStep(task.node, phase.name);
  if (step === undefined || step.abortable) return phase.abort?.(task);
  keepAbort(task, phase.name);
  return undefined;
}

/** An operator's `unhold`: the flow goes on behind the step that held it. */
export function endHold(task: NodeTask, phase: Phase): BackgroundWork {
  task.transition('unhold', { startsWork: true });
  return (running) => goOn(running, phase, 'done');
}

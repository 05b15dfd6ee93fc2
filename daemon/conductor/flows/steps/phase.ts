// What distinguishes the flows of steps: verification, cleaning, deployment and servicing.
import type { Node, NodeChanges } from '../../../model/records/node.ts';
import type { PlannedStep } from '../../../model/steps/planned-steps.ts';
import type { StepPhase } from '../../../model/steps/step-phases.ts';
import type { FlowTask, FlowWork } from '../services.ts';

/** How a flow ends that has not failed. */
export interface FlowEnd {
  readonly event: 'done' | 'manage';
  /** Stored together with the new state. */
  readonly changes: NodeChanges;
}

export interface Phase {
  readonly name: StepPhase;
  /** Returns the flow's name in the node's history. Without it, start and end of the flow are not recorded there. */
  readonly flow?: (node: Node) => string;
  /** Returns the steps to run, from what the node is known to offer so far. Throws when the request is invalid. */
  plan(task: FlowTask): readonly PlannedStep[];
  /** Whether the plan is made again when the agent has listed its steps. The current step stays, and the flow goes on from it. */
  readonly plansOnWithAgent?: true;
  /** Whether the flow starts over with a new plan when the agent's steps change, instead of repeating the current step. */
  readonly startsOver?: (task: FlowTask) => boolean;
  /** Called when all steps have run. Returns the event by which the node leaves the phase's states. */
  finish(task: FlowTask): Promise<FlowEnd>;
  /** Moves the node to the state for failures of the phase, with the reason in last_error. A failing clean-up does not throw. */
  fail(task: FlowTask, reason: string): Promise<void>;
  /** Ends the flow at an operator's request. Returns the clean-up work. */
  abort?(task: FlowTask): FlowWork;
}

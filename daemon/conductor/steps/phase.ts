// What makes a flow of steps a cleaning, a deployment, a service or a verification.
import type { Node } from '../../model/node.ts';
import type { PlannedStep } from '../../model/planned-steps.ts';
import type { StepPhase } from '../../model/step-phases.ts';
import type { BackgroundWork } from '../run-task.ts';
import type { NodeTask } from '../task.ts';

export interface Phase {
  readonly name: StepPhase;
  /** What the node's history calls the flow; it does not tell of others. */
  readonly flow?: (node: Node) => string;
  /** The steps to run, from what the node is known to offer by now. Throws what is wrong with the request. */
  plan(task: NodeTask): readonly PlannedStep[];
  /** The plan is made anew, and the flow goes on in it behind the current step, when the agent's steps are learnt. */
  readonly plansOnWithAgent?: true;
  /** What is done after the agent's steps have changed; otherwise the current step is begun once more. */
  readonly startsOver?: (task: NodeTask) => boolean;
  /** All steps have run; leaves the phase's states. */
  finish(task: NodeTask): Promise<void>;
  /** Leaves them for the failed state with the reason in last_error. Never throws for want of a clean-up. */
  fail(task: NodeTask, reason: string): Promise<void>;
  /** Ends the flow because an operator wants it, and gives the work that clears up. */
  abort?(task: NodeTask): BackgroundWork;
}

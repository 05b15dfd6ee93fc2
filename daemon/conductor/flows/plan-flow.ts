// Plans the steps that a provision request would run on a node, without contacting the machine.
import { fault, reasonOf } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import { destroyedByAgent } from '../../model/steps/agent-step-effects.ts';
import {
  inRunningOrder,
  isReserved,
  type AvailableStep,
  type PlannedStep,
  planAvailable,
} from '../../model/steps/planned-steps.ts';
import type { ProvisionEvent } from '../../model/states/provision-events.ts';
import { next } from '../../model/states/provision-states.ts';
import { stepName } from '../../model/steps/step-lists.ts';
import type { StepPhase } from '../../model/steps/step-phases.ts';
import { verbOf } from '../../model/states/verbs.ts';
import { cleaningRunbook, cleansAutomatically, inOrder, validateForProvide } from './phases/clean.ts';
import { draftDeployment, validateForDeployment, withInstance } from './phases/deploy.ts';
import { validateForTearDown } from './phases/tear-down.ts';
import { type ProvisionRequest, refuseUnfit } from './provision.ts';
import { agentSteps, withLastAgent } from './steps/flow-record.ts';
import { asksAgent, availableSteps } from './steps/available-steps.ts';
import { draftFlow, mayNeedRamdisk, validateForFlow } from './steps/ramdisk-flow.ts';
import type { FlowServices, FlowTask } from './services.ts';
import { isFastTrack } from '../tasks/agent-state.ts';
import type { Call } from '../tasks/services.ts';
import { NodeTask } from '../tasks/task.ts';

export interface FlowPlan {
  readonly phase: StepPhase;
  /** The steps in the order in which they run. */
  readonly steps: readonly FlowStep[];
  /** Whether the machine would be booted into the ramdisk. */
  readonly bootsRamdisk: boolean;
  /** Whether the steps of the node's agent are known from its last run; null when the flow uses no agent. */
  readonly agentStepsKnown: boolean | null;
  /** Why the request would be refused or the flow would fail, one sentence each. */
  readonly problems: readonly string[];
}

export interface FlowStep extends PlannedStep {
  /** `conductor`: a reserved step, or one for child nodes; `unknown`: no known interface or agent offers it. */
  readonly source: AvailableStep['source'] | 'conductor' | 'unknown';
  /** What asked for the step: a request argument, a runbook or a deploy template; null when it runs by default. */
  readonly chosenBy: string | null;
  readonly description: string | null;
  readonly destroys: string | null;
}

/**
 * Throws InvalidParameter for a verb that never runs steps, and for `manage` in a state in which it does not verify the node.
 * Takes no lock. `stepsBy`: the `chosenBy` of the steps in a request to clean or service the node.
 */
export async function planFlow(
  context: Call<FlowServices>,
  node: Node,
  { stepsBy, ...request }: ProvisionRequest & { readonly stepsBy: string },
): Promise<FlowPlan> {
  const flow = flowOf(node, request);
  const asked = flow === deployment ? withInstance(node, request) : node;
  const task = new NodeTask(context, withLastAgent(asked, flow.phase));
  const problems = [
    ...(await objections(() => refuseUnfit(node, request.verb))),
    ...(await objections(() => flow.validate(task, request))),
  ];
  let draft: Draft = { steps: [], problems: [], needsRamdisk: false };
  problems.push(...(await objections(() => void (draft = flow.draft(task, request, stepsBy)))));
  return {
    phase: flow.phase,
    steps: shownSteps(task, flow.phase, draft.steps),
    bootsRamdisk: draft.needsRamdisk && !isFastTrack(task.services, task.node),
    agentStepsKnown:
      draft.needsRamdisk && asksAgent(task, flow.phase)
        ? agentSteps(task.node, flow.phase) !== undefined
        : null,
    // `validate` and `draft` may find the same problem, such as a missing runbook
    problems: [...new Set([...problems, ...draft.problems])],
  };
}

interface Draft {
  readonly steps: readonly (PlannedStep & Partial<Pick<FlowStep, 'chosenBy'>>)[];
  readonly problems: readonly string[];
  readonly needsRamdisk: boolean;
}

interface Flow {
  readonly phase: StepPhase;
  readonly validate: (task: FlowTask, request: ProvisionRequest) => Promise<void> | void;
  readonly draft: (task: FlowTask, request: ProvisionRequest, stepsBy: string) => Draft;
}

const verification: Flow = {
  phase: 'verify',
  validate: (task) => task.driver.power.validate(task.view),
  draft: (task) => ({
    steps: planAvailable('verify', availableSteps(task, 'verify')),
    problems: [],
    needsRamdisk: false,
  }),
};

const deployment: Flow = {
  phase: 'deploy',
  validate: (task, { verb }) => validateForDeployment(task, verb),
  draft(task, { deploySteps }) {
    const { steps, unknown, problems } = draftDeployment(task, deploySteps);
    const hoped = unknown.filter(({ priority }) => priority > 0);
    return {
      steps: inRunningOrder('deploy', [...steps, ...hoped]),
      problems,
      needsRamdisk: asksAgent(task, 'deploy'),
    };
  },
};

const requestedFlow = (phase: 'clean' | 'service'): Flow => ({
  phase,
  validate: (task, { disableRamdisk }) => validateForFlow(task, !disableRamdisk),
  draft(task, { steps, disableRamdisk }, chosenBy) {
    const draft = draftFlow(task, phase, steps, !disableRamdisk);
    return { ...draft, steps: draft.steps.map((step) => ({ ...step, chosenBy })) };
  },
});

const automatedCleaning = (validate: (task: FlowTask) => Promise<void>): Flow => ({
  phase: 'clean',
  validate,
  draft(task) {
    if (!cleansAutomatically(task.services, task.node))
      return { steps: [], problems: [], needsRamdisk: false };
    const runbook = cleaningRunbook(task.services, task.node);
    if (runbook === undefined) {
      const steps = planAvailable('clean', availableSteps(task, 'clean'));
      return { steps, problems: [], needsRamdisk: mayNeedRamdisk(task, 'clean') };
    }
    const draft = draftFlow(task, 'clean', inOrder(runbook), !runbook.disable_ramdisk);
    const chosenBy = `runbook ${runbook.name}`;
    return { ...draft, steps: draft.steps.map((step) => ({ ...step, chosenBy })) };
  },
});

const flows: Readonly<Partial<Record<ProvisionEvent, Flow>>> = {
  manage: verification,
  provide: automatedCleaning(validateForProvide),
  delete: automatedCleaning(validateForTearDown),
  clean: requestedFlow('clean'),
  service: requestedFlow('service'),
  deploy: deployment,
  rebuild: deployment,
};

function flowOf({ provision_state: state }: Node, { verb }: ProvisionRequest): Flow {
  const { event } = verbOf(verb);
  const flow = flows[event];
  if (flow !== undefined && (flow !== verification || next(state, event) === 'verifying')) return flow;
  throw fault('InvalidParameter', {
    name: 'target',
    reason: `${verb} runs no steps on a node in state "${state}"`,
  });
}

async function objections(check: () => Promise<void> | void): Promise<readonly string[]> {
  try {
    await check();
    return [];
  } catch (error) {
    return [reasonOf(error)];
  }
}

function shownSteps(task: FlowTask, phase: StepPhase, steps: Draft['steps']): readonly FlowStep[] {
  const offers = new Map(availableSteps(task, phase).map((offer) => [stepName(offer), offer]));
  return steps.map((step) => ({ chosenBy: null, ...step, ...describe(step, offers.get(stepName(step))) }));
}

function describe(
  step: PlannedStep,
  offer: AvailableStep | undefined,
): Pick<FlowStep, 'source' | 'description' | 'destroys'> {
  if (isReserved(step.step) || step.execute_on_child_nodes === true)
    return { source: 'conductor', description: null, destroys: null };
  // perhaps a step of the agent, which has not run on the machine
  if (offer === undefined) return { source: 'unknown', description: null, destroys: destroyedByAgent(step) };
  const { source, description, destroys } = offer;
  return { source, description, destroys };
}

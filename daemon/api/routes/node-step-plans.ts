// POST /v1/nodes/{node}/steps/plan: the steps that a provision request would run.
import { nodeOf } from '../../conductor/records/find-record.ts';
import { type FlowStep, planFlow } from '../../conductor/flows/plan-flow.ts';
import { fault } from '../../model/faults.ts';
import { maskSecrets } from '../../model/secrets.ts';
import { stepPhases } from '../../model/steps/step-phases.ts';
import { isProvisionVerb, provisionVerbs } from '../../model/states/verbs.ts';
import { checkedRequest, provisionArguments, provisionParameters } from '../bodies/provision-arguments.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import {
  flagSchema,
  listSchema,
  objectSchema,
  orNull,
  textSchema,
  wholeSchema,
} from '../../http/schema-parts.ts';
import { provisionLimit } from './node-states.ts';

const stepSchema = objectSchema(
  {
    interface: textSchema,
    step: textSchema,
    args: { type: 'object' },
    priority: { type: 'integer' },
    abortable: flagSchema,
    requires_ramdisk: flagSchema,
    reboot_requested: flagSchema,
    execute_on_child_nodes: flagSchema,
    limit_child_node_execution: listSchema(textSchema),
    source: { type: 'string', enum: ['driver', 'agent', 'conductor', 'unknown'] },
    chosen_by: orNull(textSchema),
    description: orNull(textSchema),
    destroys: orNull(textSchema),
  },
  ['interface', 'step', 'args', 'priority', 'source', 'chosen_by', 'description', 'destroys'],
  'PlannedStep',
);

const planSchema = wholeSchema(
  {
    target: textSchema,
    phase: { type: 'string', enum: stepPhases },
    steps: listSchema(stepSchema),
    boots_ramdisk: flagSchema,
    agent_steps_known: orNull(flagSchema),
    problems: listSchema(textSchema),
  },
  'StepPlan',
);

export const nodeStepPlanRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/nodes/:node/steps/plan',
    since: 1,
    body: { parameters: provisionParameters },
    answers: { 200: planSchema },
    limit: provisionLimit,
    // it changes nothing, and pages ask while somebody types
    unaudited: true,
    handler: plan,
  }),
];

/** Takes the body of a provision request, and refuses invalid arguments as PUT .../states/provision would. */
async function plan(request: ApiRequest<Parameters, typeof provisionParameters>): Promise<Reply> {
  const { services, minor } = request;
  const given = provisionArguments(request.given);
  const { target: verb, runbook } = given;
  const node = nodeOf(request);
  if (!isProvisionVerb(verb))
    throw fault('VerbUnsupported', { action: verb, allowed: provisionVerbs.join(', ') });
  const checked = checkedRequest({ services, minor, node, verb, given });
  const stepsBy = runbook === undefined ? `${verb}_steps` : `runbook ${runbook}`;
  const flow = await planFlow(request, node, { ...checked, stepsBy });
  return {
    status: 200,
    body: {
      target: verb,
      phase: flow.phase,
      steps: flow.steps.map(view),
      boots_ramdisk: flow.bootsRamdisk,
      agent_steps_known: flow.agentStepsKnown,
      problems: flow.problems,
    },
  };
}

const view = ({ chosenBy, args = {}, ...step }: FlowStep) => ({
  ...step,
  args: maskSecrets(args),
  chosen_by: chosenBy,
});

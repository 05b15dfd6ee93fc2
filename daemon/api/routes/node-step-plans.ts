// POST /v1/nodes/{node}/steps/plan: what a provision request would run, before it is made.
import { type FlowStep, planFlow } from '../../conductor/plan-flow.ts';
import { fault } from '../../model/faults.ts';
import { maskSecrets } from '../../model/secrets.ts';
import { isProvisionVerb, provisionVerbs } from '../../model/verbs.ts';
import { findNode } from '../node-identifiers.ts';
import { checkedRequest, provisionArguments } from '../provision-arguments.ts';
import { type ApiRequest, type Reply, type Route, route } from '../route.ts';
import { provisionLimit } from './node-states.ts';

export const nodeStepPlanRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/nodes/:node/steps/plan',
    since: 1,
    body: 'arguments',
    limit: provisionLimit,
    handler: plan,
  }),
];

/** The body is that of the provision request; its arguments are refused as there. */
async function plan({ services, caller, minor, parameters, body }: ApiRequest): Promise<Reply> {
  const given = provisionArguments(body);
  const { target: verb, runbook } = given;
  const node = findNode(services, parameters['node'] ?? '', minor);
  if (!isProvisionVerb(verb))
    throw fault('VerbUnsupported', { action: verb, allowed: provisionVerbs.join(', ') });
  const request = checkedRequest({ services, minor, node, verb, given });
  const stepsBy = runbook === undefined ? `${verb}_steps` : `runbook ${runbook}`;
  const flow = await planFlow(services, caller, node, { ...request, stepsBy });
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

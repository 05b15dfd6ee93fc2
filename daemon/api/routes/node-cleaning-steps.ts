// GET /v1/nodes/{node}/cleaning/steps: the clean steps of a node, as the manual-cleaning specification defines them.
import { nodeOf } from '../../conductor/records/find-record.ts';
import { cleanSteps } from '../../conductor/flows/clean-steps.ts';
import { fault } from '../../model/faults.ts';
import type { AvailableStep } from '../../model/steps/planned-steps.ts';
import { isUnstable, permissionIn } from '../../model/states/provision-states.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import { flagSchema, listSchema, textSchema, wholeSchema } from '../../http/schema-parts.ts';

const stepSchema = wholeSchema(
  {
    interface: textSchema,
    step: textSchema,
    priority: { type: 'integer' },
    abortable: flagSchema,
    args: listSchema(wholeSchema({ name: textSchema, description: textSchema, required: flagSchema })),
  },
  'CleanStep',
);

const parameters = { min_priority: { kind: 'integer' } } as const satisfies Parameters;

export const nodeCleaningStepsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/nodes/:node/cleaning/steps',
    since: 1,
    query: parameters,
    answers: { 200: listSchema(stepSchema), 202: wholeSchema({ message: textSchema }) },
    handler: list,
  }),
];

/** The value of Retry-Request-After when no ramdisk is expected to run, so that the time to wait is unknown. */
const UNKNOWN = -1;

function list(request: ApiRequest<typeof parameters>): Reply {
  const { services, query } = request;
  const { min_priority: minimum = 0 } = query;
  if (minimum < 0)
    throw fault('InvalidParameter', {
      name: 'min_priority',
      reason: `${minimum} is not a priority; expected 0 or more`,
    });
  const node = nodeOf(request);
  const steps = cleanSteps(services, node);
  if (steps !== undefined)
    return { status: 200, body: steps.filter(({ priority }) => priority >= minimum).map(view) };
  // the node's ramdisk is booting, or has booted and will send a heartbeat
  const awaited = isUnstable(node.provision_state) && permissionIn(node.provision_state, 'steps') === 'clean';
  return {
    status: 202,
    retryRequestAfter: awaited ? services.config.api.ramdisk_heartbeat_timeout : UNKNOWN,
    body: {
      message: `The clean steps of node ${node.uuid} are not known yet: the agent in its ramdisk lists some of them when the node is cleaned for the first time.`,
    },
  };
}

const view = (step: AvailableStep) => ({
  interface: step.interface,
  step: step.step,
  priority: step.priority,
  abortable: step.abortable,
  args: Object.entries(step.argsinfo).map(([name, { description = '', required = false }]) => ({
    name,
    description,
    required,
  })),
});

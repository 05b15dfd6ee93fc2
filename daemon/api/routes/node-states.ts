// /v1/nodes/{node}/states: shows the states of a node, and takes the requests that change its power or provision state.
import { nodeOf } from '../../conductor/records/find-record.ts';
import { goOnToAvailable } from '../../conductor/take-in/go-on.ts';
import { setPower } from '../../conductor/hardware/power.ts';
import { provision, refuseUnfitVerb } from '../../conductor/flows/provision.ts';
import type { Services } from '../../conductor/services.ts';
import { fault } from '../../model/faults.ts';
import { type FieldTable, only } from '../../model/records/fields.ts';
import { type Node, nodeFields } from '../../model/records/node.ts';
import { isSoft, powerTargets } from '../../model/states/power-states.ts';
import { isProvisionVerb, provisionVerbs, verbOf } from '../../model/states/verbs.ts';
import { checkedRequest, provisionArguments, provisionParameters } from '../bodies/provision-arguments.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import { fieldSchemas, objectSchema } from '../../http/schema-parts.ts';
import { stateAt } from '../views/node-view.ts';
import { fieldsUpTo } from '../../http/record-view.ts';

const SOFT_POWER_SINCE = 27;

/** The size limit of provision requests. */
export const provisionLimit = ({ config }: Services) => ({
  kibibytes: config.api.max_json_body_size_provision,
  option: '[api] max_json_body_size_provision',
});
const stateFields: FieldTable = only(nodeFields, [
  'console_enabled',
  'last_error',
  'power_state',
  'target_power_state',
  'provision_state',
  'target_provision_state',
  'provision_updated_at',
  'raid_config',
  'target_raid_config',
  'boot_mode',
  'secure_boot',
]);

const powerParameters = {
  target: { kind: 'text', required: true, values: powerTargets },
  timeout: { kind: 'integer', since: SOFT_POWER_SINCE },
} as const satisfies Parameters;

const goalParameters = {
  target: { kind: 'text', required: true, values: ['available'] },
} as const satisfies Parameters;

export const nodeStateRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/nodes/:node/states',
    since: 1,
    answers: { 200: objectSchema(fieldSchemas(stateFields), [], 'NodeStates') },
    handler: show,
  }),
  route({
    method: 'PUT',
    path: '/v1/nodes/:node/states/power',
    since: 1,
    body: { parameters: powerParameters },
    answers: { 202: null },
    handler: power,
  }),
  route({
    method: 'PUT',
    path: '/v1/nodes/:node/states/provision',
    since: 1,
    body: { parameters: provisionParameters },
    answers: { 202: null },
    limit: provisionLimit,
    handler: changeProvisionState,
  }),
  route({
    method: 'PUT',
    path: '/v1/nodes/:node/states/goal',
    since: 1,
    body: { parameters: goalParameters },
    answers: { 202: null },
    async handler(request) {
      await goOnToAvailable(request, nodeOf(request).uuid);
      return accepted(request, 'states');
    },
  }),
];

function show(request: ApiRequest): Reply {
  return {
    status: 200,
    body: stateView(nodeOf(request), fieldsUpTo(stateFields, request.minor), request.minor),
  };
}

/**
 * Returns the 202 reply to a request whose work continues in the background. Its Location header is the URL of the node, with
 * the name or UUID that the request used, followed by `below`.
 */
export const accepted = (
  { baseUrl, parameters }: Pick<ApiRequest, 'baseUrl' | 'parameters'>,
  below: 'states' | 'states/console',
): Reply => ({
  status: 202,
  location: `${baseUrl}/v1/nodes/${parameters['node']}/${below}`,
});

const stateView = (node: Node, names: readonly string[], minor: number) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      name === 'provision_state' ? stateAt(node.provision_state, minor) : node[name as keyof Node],
    ]),
  );

async function power(request: ApiRequest<Parameters, typeof powerParameters>): Promise<Reply> {
  const { minor } = request;
  const { target, timeout } = request.given;
  if (minor < SOFT_POWER_SINCE && isSoft(target)) throw fault('VersionTooOld', { since: SOFT_POWER_SINCE });
  if (typeof timeout === 'number' && timeout < 1) {
    throw fault('InvalidParameter', {
      name: 'timeout',
      reason: `${timeout} is not a positive number of seconds`,
    });
  }
  await setPower(request, nodeOf(request).uuid, { target, timeoutSeconds: timeout ?? undefined });
  return accepted(request, 'states');
}

async function changeProvisionState(
  request: ApiRequest<Parameters, typeof provisionParameters>,
): Promise<Reply> {
  const { services, minor } = request;
  const given = provisionArguments(request.given);
  const { target: verb } = given;
  const node = nodeOf(request);
  if (!isProvisionVerb(verb))
    throw fault('VerbUnsupported', { action: verb, allowed: provisionVerbs.join(', ') });
  const { since, gatedLate } = verbOf(verb);
  if (minor < since && gatedLate !== true) throw fault('VersionTooOld', { since });
  refuseUnfitVerb(services, node, verb);
  const checked = checkedRequest({ services, minor, node, verb, given });
  await provision(request, node.uuid, checked);
  return accepted(request, 'states');
}

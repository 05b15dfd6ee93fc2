// /v1/nodes/{node}/states: what a node is doing, and the verbs that change it.
import { setPower } from '../../conductor/node-actions.ts';
import { provision, refuseUnfitVerb } from '../../conductor/provision.ts';
import type { Services } from '../../conductor/services.ts';
import { fault } from '../../model/faults.ts';
import type { Node } from '../../model/node.ts';
import { isPowerTarget, isSoft, powerTargets } from '../../model/power-states.ts';
import { isProvisionVerb, provisionVerbs, verbOf } from '../../model/verbs.ts';
import { takeArguments } from '../arguments.ts';
import { findNode } from '../node-identifiers.ts';
import { checkedRequest, provisionArguments } from '../provision-arguments.ts';
import { type ApiRequest, type Reply, type Route, route } from '../route.ts';
import { stateAt } from '../views/node-view.ts';

const SOFT_POWER_SINCE = 27;

/** The most that a provision request may be. */
export const provisionLimit = ({ config }: Services) => ({
  kibibytes: config.api.max_json_body_size_provision,
  option: '[api] max_json_body_size_provision',
});

export const nodeStateRoutes: readonly Route[] = [
  route({ method: 'GET', path: '/v1/nodes/:node/states', since: 1, handler: show }),
  route({ method: 'PUT', path: '/v1/nodes/:node/states/power', since: 1, body: 'arguments', handler: power }),
  route({
    method: 'PUT',
    path: '/v1/nodes/:node/states/provision',
    since: 1,
    body: 'arguments',
    limit: provisionLimit,
    handler: changeProvisionState,
  }),
];

const FIELDS: readonly (readonly [keyof Node, number])[] = [
  ['console_enabled', 1],
  ['last_error', 1],
  ['power_state', 1],
  ['target_power_state', 1],
  ['target_provision_state', 1],
  ['provision_updated_at', 1],
  ['raid_config', 12],
  ['target_raid_config', 12],
  ['boot_mode', 75],
  ['secure_boot', 75],
];

function show({ services, parameters, minor }: ApiRequest): Reply {
  const node = findNode(services, parameters['node'] ?? '', minor);
  const visible = FIELDS.filter(([, since]) => minor >= since).map(([name]) => [name, node[name]]);
  return {
    status: 200,
    body: { ...Object.fromEntries(visible), provision_state: stateAt(node.provision_state, minor) },
  };
}

const accepted = ({ baseUrl, parameters }: ApiRequest): Reply => ({
  status: 202,
  location: `${baseUrl}/v1/nodes/${parameters['node']}/states`,
});

async function power(request: ApiRequest): Promise<Reply> {
  const { services, caller, minor } = request;
  const { target, timeout } = takeArguments(request.body, {
    target: { kind: 'text', required: true },
    timeout: { kind: 'integer' },
  });
  if (!isPowerTarget(target)) {
    throw fault('InvalidParameter', {
      name: 'target',
      reason: `${target} is not one of ${powerTargets.join(', ')}`,
    });
  }
  if (minor < SOFT_POWER_SINCE && (isSoft(target) || typeof timeout === 'number')) {
    throw fault('VersionTooOld', { since: SOFT_POWER_SINCE });
  }
  if (typeof timeout === 'number' && timeout < 1) {
    throw fault('InvalidParameter', {
      name: 'timeout',
      reason: `${timeout} is not a positive number of seconds`,
    });
  }
  const { uuid } = findNode(services, request.parameters['node'] ?? '', minor);
  await setPower(services, caller, uuid, { target, timeoutSeconds: timeout ?? undefined });
  return accepted(request);
}

async function changeProvisionState(request: ApiRequest): Promise<Reply> {
  const { services, caller, minor } = request;
  const given = provisionArguments(request.body);
  const { target: verb } = given;
  const node = findNode(services, request.parameters['node'] ?? '', minor);
  if (!isProvisionVerb(verb))
    throw fault('VerbUnsupported', { action: verb, allowed: provisionVerbs.join(', ') });
  const { since, gatedLate } = verbOf(verb);
  if (minor < since && gatedLate !== true) throw fault('VersionTooOld', { since });
  refuseUnfitVerb(services, node, verb);
  const checked = checkedRequest({ services, minor, node, verb, given });
  await provision(services, caller, node.uuid, checked);
  return accepted(request);
}

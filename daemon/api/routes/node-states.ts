// /v1/nodes/{node}/states: what a node is doing, and the verbs that change it.
import { setPower } from '../../conductor/node-actions.ts';
import { provision } from '../../conductor/provision.ts';
import { fault } from '../../model/faults.ts';
import type { Node } from '../../model/node.ts';
import { isPowerTarget, isSoft, powerTargets } from '../../model/power-states.ts';
import { isProvisionVerb, provisionVerbs, verbOf, verbSince } from '../../model/verbs.ts';
import { takeArguments } from '../arguments.ts';
import { findNode } from '../node-identifiers.ts';
import { type ApiRequest, type Reply, type Route, route } from '../route.ts';
import { stateAt } from '../views/node-view.ts';

const SOFT_POWER_SINCE = 27;

export const nodeStateRoutes: readonly Route[] = [
  route({ method: 'GET', path: '/v1/nodes/:node/states', since: 1, handler: show }),
  route({ method: 'PUT', path: '/v1/nodes/:node/states/power', since: 1, body: 'arguments', handler: power }),
  route({
    method: 'PUT',
    path: '/v1/nodes/:node/states/provision',
    since: 1,
    body: 'arguments',
    limit: ({ config }) => ({
      kibibytes: config.api.max_json_body_size_provision,
      option: '[api] max_json_body_size_provision',
    }),
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
  const { target, ...others } = takeArguments(request.body, {
    target: { kind: 'text', required: true },
    configdrive: { kind: 'any' },
    clean_steps: { kind: 'list' },
    deploy_steps: { kind: 'list' },
    service_steps: { kind: 'list' },
    rescue_password: { kind: 'text' },
    disable_ramdisk: { kind: 'flag' },
    runbook: { kind: 'text' },
  });
  const node = findNode(services, request.parameters['node'] ?? '', minor);
  if (!isProvisionVerb(target))
    throw fault('VerbUnsupported', { action: target, allowed: provisionVerbs.join(', ') });
  const since = Math.max(verbOf(target).since, verbSince(target, node.provision_state));
  if (minor < since) throw fault('VersionTooOld', { since });
  refuseForeignArguments(target, others);
  await provision(services, caller, node.uuid, target);
  return accepted(request);
}

/** The verbs that take each argument. */
const ARGUMENTS_OF: Readonly<Record<string, readonly string[]>> = {
  configdrive: ['active', 'rebuild'],
  clean_steps: ['clean'],
  deploy_steps: ['active', 'rebuild'],
  service_steps: ['service'],
  rescue_password: ['rescue'],
  disable_ramdisk: ['clean', 'service'],
  runbook: ['clean', 'service'],
};

function refuseForeignArguments(target: string, given: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(given)) {
    const verbs = ARGUMENTS_OF[name] ?? [];
    if (value === undefined || value === null || verbs.includes(target)) continue;
    throw fault('InvalidParameter', {
      name,
      reason: `it is only valid with target ${verbs.join(' or ')}, not ${target}`,
    });
  }
}

// What a booted ramdisk talks to: lookup, heartbeat and continue_inspection. Never authenticated; the node's state, its
// one-time token and what the machine knows of itself decide.
import { takeArguments } from '../daemon/api/arguments.ts';
import { findNode } from '../daemon/api/node-identifiers.ts';
import { type ApiRequest, type Parameters, type Reply, type Route, route } from '../daemon/api/route.ts';
import { finishInspection } from '../daemon/conductor/phases/inspect.ts';
import {
  acceptHeartbeat,
  findForLookup,
  type Heartbeat,
  findInspected,
  issueAgentToken,
  tokenFor,
} from '../daemon/conductor/ramdisk.ts';
import { startTask } from '../daemon/conductor/run-task.ts';
import type { Services } from '../daemon/conductor/services.ts';
import type { NodeTask } from '../daemon/conductor/task.ts';
import { parseMac } from '../daemon/lib/mac.ts';
import { fault } from '../daemon/model/faults.ts';
import { permits } from '../daemon/model/provision-states.ts';
import { lookupReply } from './agent-configuration.ts';
import { applyChanges } from './apply-changes.ts';
import type { HookPool } from './hook-pool.ts';
import type { Identification } from './hook-worker.ts';

const TOKENS_SINCE = 62;
const CONTINUE_INSPECTION_SINCE = 84;
const continueParameters = { node_uuid: { kind: 'uuid' } } as const satisfies Parameters;
const lookupParameters = {
  addresses: { kind: 'list' },
  node_uuid: { kind: 'uuid' },
} as const satisfies Parameters;

export function ramdiskRoutes(pool: HookPool): readonly Route[] {
  return [
    route({ method: 'GET', path: '/v1/lookup', since: 22, query: lookupParameters, handler: lookup }),
    route({ method: 'POST', path: '/v1/heartbeat', since: 22, body: 'arguments', handler: heartbeat }),
    route({ method: 'POST', path: '/v1/heartbeat/:node', since: 22, body: 'arguments', handler: heartbeat }),
    route({
      method: 'POST',
      path: '/v1/continue_inspection',
      since: 1,
      body: 'bytes',
      query: continueParameters,
      limit: ({ config }) => ({
        kibibytes: config.api.max_json_body_size_inspection,
        option: '[api] max_json_body_size_inspection',
      }),
      handler: (request) => continueInspection(request, pool),
    }),
  ];
}

function refuseWhenDisabled({ config }: Services): void {
  if (!config.api.enable_ramdisk_endpoints) throw fault('RamdiskEndpointsDisabled', {});
}

async function lookup(request: ApiRequest<typeof lookupParameters>): Promise<Reply> {
  const { services, query, minor, baseUrl } = request;
  refuseWhenDisabled(services);
  const macs = (query.addresses ?? []).flatMap((address) => parseMac(address) ?? []);
  if (macs.length === 0 && query.node_uuid === undefined) {
    throw fault('Invalid', {
      reason: 'Lookup needs at least one valid MAC address in addresses, or node_uuid.',
    });
  }
  const node = findForLookup(services, { uuid: query.node_uuid, macs, bmcAddresses: [] });
  if (node === undefined) throw fault('NotFound', {});
  const token = minor >= TOKENS_SINCE ? await issueAgentToken(services, node) : null;
  return { status: 200, body: lookupReply(services, baseUrl, node, token) };
}

const HEARTBEAT_ARGUMENTS = {
  node_ident: { kind: 'text' },
  callback_url: { kind: 'text', required: true },
  agent_token: { kind: 'text' },
  agent_version: { kind: 'text' },
  agent_verify_ca: { kind: 'text' },
  agent_status: { kind: 'text' },
  agent_status_message: { kind: 'text' },
} as const;

/** An older request must not carry them. */
const HEARTBEAT_SINCE = {
  agent_version: 36,
  agent_verify_ca: 68,
  agent_status: 72,
  agent_status_message: 72,
} as const;

type HeartbeatArguments = ReturnType<typeof takeArguments<typeof HEARTBEAT_ARGUMENTS>>;

async function heartbeat(request: ApiRequest): Promise<Reply> {
  const { services, minor, parameters } = request;
  refuseWhenDisabled(services);
  const given = takeArguments(request.body, HEARTBEAT_ARGUMENTS);
  refuseTooNew(given, minor);
  const identifier = parameters['node'] ?? given.node_ident ?? undefined;
  if (identifier === undefined) throw fault('MissingParameter', { name: 'node_ident' });
  const node = findNode(services, identifier, minor);
  await acceptHeartbeat(services, node, checkedHeartbeat(given, minor));
  return { status: 202 };
}

function refuseTooNew(given: HeartbeatArguments, minor: number): void {
  for (const [name, since] of Object.entries(HEARTBEAT_SINCE)) {
    const value = given[name as keyof typeof HEARTBEAT_SINCE] ?? undefined;
    if (minor < since && value !== undefined) throw fault('UnexpectedArguments', { names: name });
  }
}

function checkedHeartbeat(given: HeartbeatArguments, minor: number): Heartbeat {
  const { callback_url: callbackUrl, agent_token: token, agent_version: version } = given;
  if (callbackUrl !== '' && !/^https?:\/\/[^\s/]+/.test(callbackUrl)) {
    throw fault('InvalidParameter', {
      name: 'callback_url',
      reason: `${callbackUrl} is not an http or https URL`,
    });
  }
  if (!token) throw fault('AgentTokenMissing', {});
  refuseStatus(given, minor);
  return {
    callbackUrl,
    token,
    agentVersion: version ?? undefined,
    certificate: given.agent_verify_ca ?? undefined,
  };
}

function refuseStatus(
  { agent_status: status, agent_version: version }: HeartbeatArguments,
  minor: number,
): void {
  if (status && !['start', 'end', 'error'].includes(status)) {
    throw fault('InvalidParameter', {
      name: 'agent_status',
      reason: `${status} is not one of start, end, error`,
    });
  }
  if (!version && !status && minor >= HEARTBEAT_SINCE.agent_version)
    throw fault('MissingParameter', { name: 'agent_version' });
}

async function continueInspection(
  request: ApiRequest<typeof continueParameters>,
  pool: HookPool,
): Promise<Reply> {
  const { services, caller, minor, query, baseUrl } = request;
  refuseWhenDisabled(services);
  const compatible = minor === 1 && query.node_uuid === undefined;
  if (!compatible && minor < CONTINUE_INSPECTION_SINCE) {
    throw fault('VersionedNotFound', { path: request.path, since: CONTINUE_INSPECTION_SINCE });
  }
  const bytes = request.body as Uint8Array;
  const { macs, bmcAddresses } = identified(services, await pool.identify(bytes));
  if (macs.length === 0 && bmcAddresses.length === 0 && query.node_uuid === undefined) {
    throw fault('Invalid', { reason: 'The inventory has no valid MAC or BMC address to find its node by.' });
  }
  const node = findInspected(services, { uuid: query.node_uuid, macs, bmcAddresses });
  if (node === undefined) throw fault('NotFound', {});
  let token: string | null = null;
  await startTask(services, caller, node.uuid, (task) => {
    if (permits(task.node.provision_state, 'inspectionReport') !== true) throw fault('NotFound', {});
    if (!compatible) token = tokenFor(task);
    task.transition('resume', { startsWork: true });
    return (running) => finishInspection(running, () => processReport(running, pool, bytes));
  });
  return {
    status: 202,
    body: compatible ? { uuid: node.uuid } : lookupReply(services, baseUrl, node, token),
  };
}

function identified(services: Services, found: Identification) {
  if (found.kind === 'identified') return found;
  if (found.code === 'BodyTooDeep')
    throw fault('BodyTooDeep', { limit: services.config.api.max_json_body_depth });
  if (found.code === 'InvalidBody') throw fault('InvalidBody', { reason: found.reason });
  throw fault('InvalidSchema', { resource: 'inspection data', reason: found.reason });
}

async function processReport(task: NodeTask, pool: HookPool, bytes: Uint8Array): Promise<void> {
  const outcome = await pool.inspect(bytes, {
    node: task.node,
    rules: task.services.db.inspectionRules.where({ sql: 'phase = ?', values: ['main'] }),
    ports: task.ports.map(
      ({ uuid: port, address, pxe_enabled, extra: own, local_link_connection, physical_network }) => ({
        uuid: port,
        address,
        pxe_enabled,
        extra: own,
        local_link_connection,
        physical_network,
      }),
    ),
  });
  for (const { level, message } of outcome.lines) task.log[level]({ message }, 'inspection hook or rule');
  if (outcome.kind === 'failed') throw new Error(outcome.reason);
  applyChanges(task, outcome.changes);
}

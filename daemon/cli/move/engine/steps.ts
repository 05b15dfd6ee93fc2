// What each step of a move does. A run that was killed may leave a step half done, so each step can be repeated.
import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../../model/json.ts';
import { parseCapabilities } from '../../../model/machine/capabilities.ts';
import { nodeFields } from '../../../model/records/node.ts';
import { pathOfNode } from '../../api-client.ts';
import {
  allocationBody,
  BACKFILL_MINOR,
  chassisBody,
  createdFields,
  instanceFields,
  nodeBody,
  partBody,
  partKinds,
  settledFields,
} from './carried-fields.ts';
import { endMaintenance, find, requestMaintenance } from './ironic-service.ts';
import type { Maintenance } from './machine.ts';
import type { MovePlan, MoveStep } from './plan-move.ts';
import { requestProvision, type Receiver } from './receiver.ts';
import type { MoveSource } from './source.ts';

export interface Move {
  readonly plan: Extract<MovePlan, { kind: 'move' }>;
  readonly source: MoveSource;
  readonly receiver: Receiver;
  /** The machine's maintenance at the source before the move. */
  readonly before: Maintenance;
}

export const moveActions: Readonly<Record<MoveStep, (move: Move) => Promise<void>>> = {
  'set aside': ({ source, plan }) => source.setAside(plan.machine.node.uuid),
  create,
  parts: createParts,
  manage,
  instance,
  adopt: ({ receiver, plan }) => requestProvision(receiver, plan.machine.node.uuid, 'adopt', 'active'),
  settle,
  provide,
  'hand over': handOver,
};

/**
 * Creates the chassis, if the receiving service lacks it, and the node. The node is created in maintenance, so that the service
 * does not enforce its power state.
 */
async function create({ plan, source, receiver }: Move): Promise<void> {
  const { api, minor } = receiver;
  const { node, chassis } = plan.machine;
  if (chassis !== undefined && (await find(api, `/v1/chassis/${node.chassis_uuid}`)) === undefined)
    await api.post('/v1/chassis', chassisBody(chassis, minor));
  if ((await find(api, pathOfNode(node.uuid))) === undefined)
    await api.post('/v1/nodes', { ...nodeBody(createdFields, node, minor), maintenance: true });
  await requestMaintenance(receiver, node.uuid, `being handed over by ${source.name}`);
}

async function createParts({ plan, receiver: { api, minor } }: Move): Promise<void> {
  const { node } = plan.machine;
  if (node.traits.length > 0 && minor >= nodeFields.traits.since)
    await api.request('PUT', `${pathOfNode(node.uuid)}/traits`, { traits: node.traits });
  for (const { part, path, key, since, fields } of partKinds) {
    const records = plan.machine[part];
    if (records.length === 0 || since > minor) continue;
    const there = await api.list(`${path}?node=${node.uuid}`, key);
    const known = new Set(there.map(({ uuid }) => uuid));
    for (const record of records.filter(({ uuid }) => !known.has(uuid ?? null)))
      await api.post(path, partBody(fields, record, minor));
  }
}

/**
 * Makes the receiving service read the power state of the machine. Throws when this state differs from the state that the source
 * last saw: either the service would later enforce the wrong state, or the BMC that it reads is that of another machine.
 */
async function manage({ plan, receiver, source }: Move): Promise<void> {
  const { uuid, power_state: known } = plan.machine.node;
  await requestProvision(receiver, uuid, 'manage', 'manageable');
  const seen = (await find(receiver.api, pathOfNode(uuid)))?.['power_state'] ?? null;
  if (known !== null && seen !== null && known !== seen)
    throw new Error(
      `${receiver.name} sees ${shown(seen)}, and ${source.name} last saw ${known}: check that the BMC is that of this machine, undo the move with --back-out, and begin again`,
    );
}

/**
 * Leaves out the capability secure_boot, because releases of Ironic after 2023 would reset the machine to switch Secure Boot on
 * while they adopt it.
 */
async function instance(move: Move): Promise<void> {
  const { node } = move.plan.machine;
  const instance_info = { ...node.instance_info, ...withoutSecureBoot(node.instance_info['capabilities']) };
  await change(move, nodeBody(instanceFields, { ...node, instance_info }, move.receiver.minor));
}

/** Returns the capabilities without secure_boot; undefined when they do not contain it. */
function withoutSecureBoot(given: Json | undefined): { readonly capabilities: JsonObject } | undefined {
  const capabilities = parseCapabilities(given ?? '');
  if (capabilities?.has('secure_boot') !== true) return undefined;
  return { capabilities: Object.fromEntries([...capabilities].filter(([name]) => name !== 'secure_boot')) };
}

async function settle(move: Move): Promise<void> {
  const { plan, receiver } = move;
  const { node, allocation } = plan.machine;
  const { api, minor } = receiver;
  const isMissing =
    node.allocation_uuid !== null &&
    (await find(api, `/v1/allocations/${node.allocation_uuid}`)) === undefined;
  if (allocation !== undefined && minor >= BACKFILL_MINOR && isMissing)
    await api.post('/v1/allocations', { ...allocationBody(allocation, minor), node: node.uuid });
  const { capabilities } = node.instance_info;
  if (capabilities !== undefined && withoutSecureBoot(capabilities) !== undefined)
    await api.request('PATCH', pathOfNode(node.uuid), [
      { op: 'add', path: '/instance_info/capabilities', value: capabilities },
    ]);
  await change(move, nodeBody(settledFields, node, minor));
}

/**
 * Makes the node available without cleaning, which would boot the machine and erase its disks. Ends the maintenance first,
 * because a node in maintenance cannot become available.
 */
async function provide(move: Move): Promise<void> {
  const { plan, receiver } = move;
  const { uuid, automated_clean: wanted } = plan.machine.node;
  await change(move, { automated_clean: false });
  await endMaintenance(receiver, uuid);
  await requestProvision(receiver, uuid, 'provide', 'available');
  await change(move, { automated_clean: wanted });
}

/** Ends the maintenance at the receiving service, unless the node was in maintenance or in a failed state at the source. */
async function handOver({ plan, receiver, source, before }: Move): Promise<void> {
  const { uuid, last_error: error, provision_state: state } = plan.machine.node;
  const failed = plan.arrival === 'failed' ? `was in state "${state}" at ${source.name}: ${error}` : null;
  if (before.maintenance || failed !== null)
    await requestMaintenance(receiver, uuid, before.maintenance_reason ?? failed);
  else await endMaintenance(receiver, uuid);
}

/** Changes those fields of the receiver's node that have other values. */
async function change({ plan, receiver: { api } }: Move, fields: JsonObject): Promise<void> {
  const path = pathOfNode(plan.machine.node.uuid);
  const there = await find(api, path);
  const patch: JsonObject[] = Object.entries(fields)
    .filter(([name, value]) => !isDeepStrictEqual(there?.[name], value))
    .map(([name, value]) => ({ op: 'add', path: `/${name}`, value }));
  if (patch.length > 0) await api.request('PATCH', path, patch);
}

const shown = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

// Moves a node from pre-allocation, where its server has a profile at all times, to dynamic allocation.
import {
  booleanOf,
  type Json,
  type JsonObject,
  type Node,
  stateFacts,
  type Task,
  type Work,
} from '#plugin-api';
import { textOf } from './appliance/answer.ts';
import { TAKEN } from './periodic.ts';
import { removeProfile } from './profiles/remove-profile.ts';
import { settledServer } from './profiles/settled-server.ts';
import { appliedProfile } from './server/node-fields.ts';
import { isSameUri } from './server/ownership.ts';
import { readServer } from './server/server-hardware.ts';

/**
 * The maintenance reason while a migration frees a node's server. A later migration that finds this reason on the node knows that
 * an earlier one failed or was interrupted.
 */
export const MIGRATING = 'Migrating to dynamic allocation';

/** After a failure of other work, it is not known whether an instance is on the machine. */
const LEAVES_NO_INSTANCE: ReadonlySet<Work> = new Set(['inspect', 'clean', 'tear down'] as const);

/**
 * What to do with a node, decided by its record and its server. `adopt`: the daemon keeps the profile and treats it as one that
 * it has applied itself. `free`: the daemon removes the profile, if there is one, and leaves the server to OneView.
 */
type Plan =
  | { readonly kind: 'refuse'; readonly reason: string }
  | { readonly kind: 'nothing'; readonly reason: string }
  | { readonly kind: 'adopt'; readonly profile: string }
  | { readonly kind: 'free'; readonly profile: string };

export interface MigrationOptions {
  readonly isDryRun: boolean;
  readonly mayPowerOff: boolean;
}

export async function migrateNode(task: Task, options: MigrationOptions): Promise<JsonObject> {
  const plan = planOf(task.node, await readServer(task, 'Reading the server'), options.mayPowerOff);
  if (!options.isDryRun) await carryOut(task, plan);
  return { ...plan, node: task.node.uuid, name: task.node.name, done: !options.isDryRun && isChange(plan) };
}

const isChange = ({ kind }: Plan): boolean => kind === 'adopt' || kind === 'free';

export function planOf(node: Node, server: JsonObject, mayPowerOff: boolean): Plan {
  const flag = flagOf(node.driver_info['dynamic_allocation']);
  if (flag === undefined) {
    const shown = JSON.stringify(node.driver_info['dynamic_allocation']);
    return refuse(`driver_info/dynamic_allocation is ${shown}; expected true or false`);
  }
  if (flag) return { kind: 'nothing', reason: 'it has dynamic allocation already' };
  const { work, failed, inUse } = stateFacts(node);
  if (work !== null || (failed !== null && !LEAVES_NO_INSTANCE.has(failed)))
    return refuse(`it is in state "${node.provision_state}"`);
  if (node.maintenance && node.maintenance_reason === TAKEN)
    return refuse('a OneView user has its server, so the server is allocated dynamically already');
  const profile = textOf(server, 'serverProfileUri');
  const hasInstance = node.instance_uuid !== null || inUse;
  return hasInstance ? planForInstance(profile) : planForIdle(node, server, mayPowerOff);
}

const planForInstance = (profile: string): Plan =>
  profile === '' ? refuse('it has an instance, but its server has no profile') : { kind: 'adopt', profile };

function planForIdle(node: Node, server: JsonObject, mayPowerOff: boolean): Plan {
  const profile = textOf(server, 'serverProfileUri');
  if (profile === '') return { kind: 'free', profile };
  const isInterrupted = node.maintenance_reason === MIGRATING;
  if (!isInterrupted && isSameUri(profile, appliedProfile(node))) return { kind: 'adopt', profile };
  return server['powerState'] === 'Off' || mayPowerOff
    ? { kind: 'free', profile }
    : refuse('its server is not off; switch it off, or let the migration do that (power_off, --power-off)');
}

const refuse = (reason: string): Plan => ({ kind: 'refuse', reason });

/** Returns undefined when the value is neither true nor false; an absent value is false, as in Ironic. */
function flagOf(value: Json | undefined): boolean | undefined {
  if (value === undefined || value === null || value === '') return false;
  if (typeof value === 'string') return booleanOf(value);
  return typeof value === 'boolean' ? value : undefined;
}

async function carryOut(task: Task, plan: Plan): Promise<void> {
  if (plan.kind === 'adopt') await makeDynamic(task, plan.profile);
  if (plan.kind === 'free') {
    const ownReason = task.node.maintenance && task.node.maintenance_reason !== MIGRATING;
    if (!ownReason) await task.setMaintenance(MIGRATING);
    if (plan.profile !== '') await remove(task, plan.profile);
    await makeDynamic(task, undefined);
    if (!ownReason) await task.clearMaintenance();
  }
  if (plan.kind === 'nothing' && task.node.maintenance_reason === MIGRATING) await task.clearMaintenance();
}

/**
 * Powers the server off and removes its profile. First records the profile as one that the driver has applied, because the driver
 * does not power off a server with any other profile.
 */
async function remove(task: Task, profile: string): Promise<void> {
  await store(task, { ...task.node.driver_info, applied_server_profile_uri: profile });
  await task.setPower('power off');
  await settledServer(task);
  await removeProfile(task, profile);
}

async function makeDynamic(task: Task, profile: string | undefined): Promise<void> {
  const { applied_server_profile_uri: _, ...rest } = task.node.driver_info;
  const applied = profile === undefined ? {} : { applied_server_profile_uri: profile };
  await store(task, { ...rest, ...applied, dynamic_allocation: true });
}

const store = (task: Task, driver_info: JsonObject): Promise<void> => task.update({ driver_info });

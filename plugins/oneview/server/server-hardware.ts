// The server of a node as the appliance describes it, and who uses it.
import { defineFault, fault, type JsonObject, type Node, type Task } from '#plugin-api';
import { textOf } from '../appliance/answer.ts';
import { isRefusal, readFromAppliance } from '../appliance/appliance.ts';
import { appliedProfile, intentOf, serverHardwareOf } from './node-fields.ts';
import { type Ownership, ownershipOf } from './ownership.ts';

export const serverInUse = defineFault(
  'OneviewServerInUse',
  409,
  'The server of node {node} is in use by OneView: it has the server profile {profile}, which the daemon did not apply. Wait until the OneView user has removed it, or use another node.',
);

/** Reads the server. Throws the faults of `ask`. */
export const readServer = (task: Task, operation: string): Promise<JsonObject> =>
  readFromAppliance(task, { operation, url: serverHardwareOf(task.node), kind: 'server' });

/** Says who uses the server. Reads the assigned profile only if its name must tell whether the daemon created it. */
export async function ownerOf(task: Task, server: JsonObject): Promise<Ownership> {
  const { node } = task;
  const evidence = {
    assigned: textOf(server, 'serverProfileUri'),
    applied: appliedProfile(node),
    intended: intentOf(node)?.name ?? '',
    assignedName: '',
  };
  const owner = ownershipOf(evidence);
  if (owner.kind !== 'oneview' || evidence.intended === '') return owner;
  return ownershipOf({ ...evidence, assignedName: await nameOf(task, owner.profile) });
}

async function nameOf(task: Task, profile: string): Promise<string> {
  try {
    const operation = 'Reading who uses the server';
    return textOf(await readFromAppliance(task, { operation, url: profile, kind: 'profile' }), 'name');
  } catch (error) {
    if (isRefusal(error, 404)) return '';
    throw error;
  }
}

export const readOwner = async (task: Task): Promise<Ownership> =>
  ownerOf(task, await readServer(task, 'Reading who uses the server'));

export const inUse = (node: Node, profile: string) => serverInUse({ node: node.uuid, profile });

/** Throws PowerStateFailure when a OneView user has the server. */
export async function refuseTaken(task: Task, server: JsonObject, target: string): Promise<void> {
  const owner = await ownerOf(task, server);
  if (owner.kind !== 'oneview') return;
  throw fault('PowerStateFailure', {
    target,
    node: task.node.uuid,
    reason: `its server is in use by OneView: it has the profile "${owner.profile}"`,
  });
}

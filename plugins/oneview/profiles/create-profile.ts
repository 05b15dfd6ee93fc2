// Creates a server profile from the node's template and applies it to the node's server.
import { Fault, isJsonObject, type JsonObject, reasonOf, type Task } from '#plugin-api';
import { textOf } from '../appliance/answer.ts';
import { ask, isSilence, read } from '../appliance/appliance.ts';
import { type TaskEnd, taskEnd } from '../appliance/tasks.ts';
import { oneviewOptions } from '../options.ts';
import { isSameUri } from '../server/ownership.ts';
import { storeIntent, wantedOf } from '../server/node-fields.ts';
import { inUse, ownerOf } from '../server/server-hardware.ts';
import { findProfile } from './find-profile.ts';
import { profileFailed } from './profile-faults.ts';
import { removeProfile } from './remove-profile.ts';
import { settledServer } from './settled-server.ts';

/** Errors that show that somebody else has taken the server: a profile was assigned to it first, or is being assigned. */
const OCCUPIED: ReadonlySet<string> = new Set([
  'ProfileAlreadyExistsInServer',
  'AssignProfileToDeviceBayError',
  'EnclosureBayUnavailableForProfile',
]);
const DUPLICATE = 'DUPLICATED_PROFILE_NAME';

/**
 * Returns the URI of the applied profile. The server must be off. Stores the profile's name before sending the request, so that
 * the profile is recognised after a crash. Throws OneviewServerInUse, OneviewProfileFailed or the faults of `ask`.
 */
export async function createProfile(task: Task, name: string): Promise<string> {
  const profile = await newProfile(task, name);
  await storeIntent(task, { name, task: '' });
  const first = await attempt(task, name, profile);
  const isDuplicate = first.kind === 'failed' && first.codes.includes(DUPLICATE);
  const end = isDuplicate && (await removeLeftover(task, name)) ? await attempt(task, name, profile) : first;
  return outcome(task, name, end);
}

async function newProfile(task: Task, name: string): Promise<JsonObject> {
  const { server, template } = wantedOf(task.node);
  const body = await read(task, 'Reading the server profile template', `${template}/new-profile`);
  // the profile is detached from the template, because later changes of the template would make the profile "not compliant"
  return { ...body, name, serverHardwareUri: server, serverProfileTemplateUri: '' };
}

async function attempt(task: Task, name: string, profile: JsonObject): Promise<TaskEnd> {
  const uri = await requested(task, profile);
  if (uri === undefined)
    return { kind: 'failed', codes: [DUPLICATE], reason: 'there is a profile of this name' };
  await storeIntent(task, { name, task: uri });
  return taskEnd(task, uri, oneviewOptions(task).profile_task_timeout);
}

/**
 * Sends the request. Returns the URI of its task; undefined when there is a profile of this name already. If no answer arrives,
 * looks in the list of profiles whether the appliance is creating the profile.
 */
async function requested(task: Task, profile: JsonObject): Promise<string | undefined> {
  const question = { method: 'POST', url: '/rest/server-profiles', body: JSON.stringify(profile) };
  try {
    return (await ask(task, 'Applying a server profile', question)).task;
  } catch (error) {
    if (isRefusedFor(error, DUPLICATE)) return undefined;
    if (!isSilence(error)) throw error;
    const found = await findProfile(task, textOf(profile, 'name'));
    task.log.warn(
      { reason: reasonOf(error), profile: found?.['uri'] },
      'the appliance did not answer the request for a new server profile',
    );
    if (found === undefined) throw error;
    return textOf(found, 'taskUri');
  }
}

const isRefusedFor = (error: unknown, code: string): boolean =>
  error instanceof Fault && error.code === 'BmcRefused' && error.parameters['message'] === code;

async function outcome(task: Task, name: string, end: TaskEnd): Promise<string> {
  if (end.kind === 'done' && end.resource !== '') return end.resource;
  if (end.kind === 'overdue') {
    const { profile_task_timeout: seconds } = oneviewOptions(task);
    const reason = `${name} was not applied within ${seconds} s; the appliance is still working on it`;
    throw profileFailed({ node: task.node.uuid, reason });
  }
  const server = await settledServer(task);
  const owner = await ownerOf(task, server);
  if (owner.kind === 'oneview') throw inUse(task.node, owner.profile);
  const isApplied = end.kind !== 'failed' && textOf(server, 'state') !== 'ProfileError';
  if (owner.kind === 'ironic' && isApplied) return owner.profile;
  // a failed profile must not keep the server occupied
  if (owner.kind === 'ironic') await removeProfile(task, owner.profile);
  throw refusalOf(task, name, end);
}

function refusalOf({ node }: Task, name: string, end: TaskEnd): Fault {
  const codes = end.kind === 'failed' ? end.codes : [];
  if (codes.some((code) => OCCUPIED.has(code))) return inUse(node, 'that a OneView user was just applying');
  const reason = end.kind === 'failed' ? end.reason : 'the appliance did not tell the result of its task';
  return profileFailed({ node: node.uuid, reason: `${name} was not applied: ${reason}` });
}

/** Removes the profile of this name unless another server has it. Resolves to whether it was removed. */
export async function removeLeftover(task: Task, name: string): Promise<boolean> {
  const found = await findProfile(task, name);
  if (!isJsonObject(found)) return false;
  const server = textOf(found, 'serverHardwareUri');
  if (server !== '' && !isSameUri(server, wantedOf(task.node).server)) return false;
  await removeProfile(task, textOf(found, 'uri'));
  return true;
}

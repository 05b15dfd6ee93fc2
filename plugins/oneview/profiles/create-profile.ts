// Creates a server profile from the node's template and applies it to the node's server.
import { Fault, isJsonObject, type JsonObject, reasonOf, type Task } from '#plugin-api';
import { textOf } from '../appliance/answer.ts';
import { askAppliance, isSilence, readFromAppliance } from '../appliance/appliance.ts';
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
const PROFILES = '/rest/server-profiles';
/** The pauses before the driver looks for a profile whose request got no answer: it may be in the list only after a while. */
const LOOKS_SECONDS = [1, 5, 15, 30];

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
  const body = await readFromAppliance(task, {
    operation: 'Reading the server profile template',
    url: `${template}/new-profile`,
    kind: 'newProfile',
  });
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
 * looks in the list of profiles, for about a minute, whether the appliance is creating the profile.
 */
async function requested(task: Task, profile: JsonObject): Promise<string | undefined> {
  const question = { method: 'POST', url: PROFILES, body: JSON.stringify(profile) };
  try {
    return (await askAppliance(task, 'Applying a server profile', question)).task;
  } catch (error) {
    if (isRefusedFor(error, DUPLICATE)) return undefined;
    if (!isSilence(error)) throw error;
    task.log.warn(
      { reason: reasonOf(error) },
      'the appliance did not answer the request for a new server profile; looking for the profile',
    );
    for (const pause of LOOKS_SECONDS) {
      await task.clock.sleep(pause * 1000);
      const found = await ownProfileNamed(task, textOf(profile, 'name'));
      if (found !== undefined) return textOf(found, 'taskUri');
    }
    throw error;
  }
}

/** Returns the profile of this name on the node's server; undefined if there is none or the appliance does not tell. */
async function ownProfileNamed(task: Task, name: string): Promise<JsonObject | undefined> {
  try {
    const found = await findProfile(task, name);
    const isOwn = isSameUri(textOf(found ?? {}, 'serverHardwareUri'), wantedOf(task.node).server);
    return isOwn ? found : undefined;
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'BmcCredentialsRefused') throw error;
    task.log.warn({ reason: reasonOf(error) }, 'the server profiles could not be read');
    return undefined;
  }
}

const isRefusedFor = (error: unknown, code: string): boolean =>
  error instanceof Fault && error.code === 'BmcRefused' && error.parameters['message'] === code;

async function outcome(task: Task, name: string, end: TaskEnd): Promise<string> {
  if (end.kind === 'done' && end.resource.startsWith(`${PROFILES}/`)) return end.resource;
  if (end.kind === 'overdue') {
    const reason = `${name} was not applied: ${end.reason}, and the appliance may still be working on it`;
    throw profileFailed({ node: task.node.uuid, reason });
  }
  const server = await settledServer(task, true);
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
  const reason = end.kind === 'done' ? 'its task names no profile' : end.reason;
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

// The boot device of a node. A requested boot device is stored until the server is off, because OneView changes the boot order
// only then.
import { isJsonObject, reasonOf, type Task } from '#plugin-api';
import { textOf } from './appliance/answer.ts';
import {
  askAppliance,
  isRefusal,
  isSilence,
  readFromAppliance,
  type Reading,
} from './appliance/appliance.ts';
import { taskEnd } from './appliance/tasks.ts';
import { type Device, devices, isDevice, withFirst } from './boot-order.ts';
import { oneviewOptions } from './options.ts';
import { profileFailed } from './profiles/profile-faults.ts';
import { inUse, readOwner } from './server/server-hardware.ts';
import { bootOnce } from './server/ilo.ts';

const NEXT = 'next_boot_device';
const TRIES = 3;

export interface NextBoot {
  readonly device: Device;
  readonly persistent: boolean;
}

export function nextBoot({ node }: Task): NextBoot | undefined {
  const next = node.driver_internal_info[NEXT];
  const device = isJsonObject(next) ? textOf(next, 'boot_device') : '';
  return isJsonObject(next) && isDevice(device)
    ? { device, persistent: next['persistent'] === true }
    : undefined;
}

export const storeNextBoot = (task: Task, { device, persistent }: NextBoot): Promise<void> =>
  task.update({
    driver_internal_info: { ...task.node.driver_internal_info, [NEXT]: { boot_device: device, persistent } },
  });

export const profileAt = (url: string): Reading => ({
  operation: 'Reading the server profile',
  url,
  kind: 'profile',
});

/** Returns the URI of the profile that the daemon has applied. Throws OneviewServerInUse or OneviewProfileFailed. */
export async function ownProfile(task: Task): Promise<string> {
  const owner = await readOwner(task);
  if (owner.kind === 'ironic') return owner.profile;
  if (owner.kind === 'oneview') throw inUse(task.node, owner.profile);
  const reason = 'its server has no profile, and only a profile can set the boot device';
  throw profileFailed({ node: task.node.uuid, reason });
}

/** Makes the server boot from the boot device stored for the node, and then forgets the stored device. The server must be off. */
export async function applyBootDevice(task: Task): Promise<void> {
  const next = nextBoot(task);
  if (next === undefined) return;
  if (next.persistent || !(await isSetOnce(task, next))) await putFirst(task, next.device);
  const { [NEXT]: _, ...rest } = task.node.driver_internal_info;
  await task.update({ driver_internal_info: rest });
}

async function isSetOnce(task: Task, { device }: NextBoot): Promise<boolean> {
  try {
    await bootOnce(task, devices[device].ilo);
    return true;
  } catch (error) {
    task.signal.throwIfAborted();
    task.log.warn(
      { device, reason: reasonOf(error) },
      'the iLO did not set the boot device for one boot; the server profile sets it for every boot',
    );
    return false;
  }
}

/**
 * Puts the device first in the boot order of the profile. Tries again if the appliance does not answer, or refuses because
 * somebody else has changed the profile.
 */
async function putFirst(task: Task, device: Device): Promise<void> {
  const url = await ownProfile(task);
  for (let tries = 1; ; tries += 1) {
    const profile = withFirst(await readFromAppliance(task, profileAt(url)), device);
    if (profile === undefined) return;
    try {
      const body = JSON.stringify(profile);
      const headers = { 'if-match': textOf(profile, 'eTag') };
      const { task: uri } = await askAppliance(task, 'Setting the boot order', {
        method: 'PUT',
        url,
        headers,
        body,
      });
      return await changed(task, uri, device);
    } catch (error) {
      if (!(isRefusal(error, 412) || isSilence(error)) || tries === TRIES) throw error;
    }
  }
}

async function changed(task: Task, uri: string, device: Device): Promise<void> {
  const end = await taskEnd(task, uri, oneviewOptions(task).profile_task_timeout);
  if (end.kind === 'done') return;
  const reason = `${device} was not set as boot device: ${end.reason}`;
  throw profileFailed({ node: task.node.uuid, reason });
}

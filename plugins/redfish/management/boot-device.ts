// The boot device of the management interface `redfish`.
import {
  type BootDevice,
  type BootDeviceSetting,
  fault,
  isJsonObject,
  type JsonObject,
  type Task,
} from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { converse } from '../bmc/converse.ts';
import { textIn } from '../bmc/fields.ts';
import { refusalOf } from '../bmc/redfish-client.ts';
import { redfishOptions } from '../options.ts';
import {
  bootPlace,
  bootProperties,
  bootTargets,
  offeredTargets,
  readBoot,
  sendBoot,
  targetFor,
} from './boot-request.ts';
import { redfishLimits } from '../limits.ts';

/** The key in driver_internal_info that holds the boot device to set again before each power-on, with its URL if it has one. */
const RENEWED_KEY = 'redfish_boot_device';

type Device = keyof typeof bootTargets;

export const supportedBootDevices = Object.keys(bootTargets) as readonly Device[];

const persistence: Readonly<Record<string, boolean>> = { Continuous: true, Once: false };

export const getBootDevice = (task: Task): Promise<BootDeviceSetting> =>
  converse(task, { operation: 'Reading the boot device' }, async (bmc) => {
    const boot = await readBoot(bmc, 0);
    const target = boot['BootSourceOverrideTarget'];
    const cd = target === 'UsbCd' ? 'Cd' : target;
    const device = supportedBootDevices.find((each) => bootTargets[each] === cd) ?? null;
    return {
      boot_device: device,
      persistent: persistence[textIn(boot['BootSourceOverrideEnabled']) ?? ''] ?? null,
    };
  });

/** Throws InvalidParameter when the BMC does not offer the device. */
export const setBootDevice = (task: Task, device: BootDevice, isPersistent: boolean): Promise<void> =>
  bootFrom(task, device, { isPersistent, url: undefined });

export interface BootFrom {
  readonly isPersistent: boolean;
  /** The URL that the firmware downloads with uefihttp. Not set: the URL that DHCP names. */
  readonly url: string | undefined;
}

/** Throws InvalidParameter when the BMC does not offer the device, or accepts no URL for it. */
export async function bootFrom(
  task: Task,
  device: BootDevice,
  { isPersistent, url }: BootFrom,
): Promise<void> {
  const known = supportedBootDevices.find((each) => each === device);
  if (known === undefined) throw unsuited(device, `Redfish has ${supportedBootDevices.join(', ')}`);
  await storeRenewed(task, undefined);
  await setAndRemember(task, known, { isPersistent, url });
}

/** If a boot device is stored, sets it and its URL again. Both stay stored when this throws. */
export async function bootFromRenewed(task: Task): Promise<void> {
  const { device: stored, url } = renewedOf(task);
  const device = supportedBootDevices.find((each) => each === stored);
  if (device === undefined) return;
  await setAndRemember(task, device, { isPersistent: true, url: typeof url === 'string' ? url : undefined });
}

/** Stores the device and its URL if they must be set again before each power-on. */
async function setAndRemember(task: Task, device: Device, from: BootFrom): Promise<void> {
  const renews = await afterPost(task, () =>
    converse(task, { operation: `Setting the boot device ${device}` }, (bmc) => set(bmc, task, device, from)),
  );
  await storeRenewed(task, renews ? { device, ...(from.url !== undefined && { url: from.url }) } : undefined);
}

/** Returns whether the device must be set again before each power-on. */
async function set(bmc: Bmc, task: Task, device: Device, { isPersistent, url }: BootFrom): Promise<boolean> {
  const remedies = await bmc.remedies();
  const place = await bootPlace(bmc);
  const target = targetFor(device, place.boot, remedies);
  const offered = offeredTargets(place.boot);
  if (offered.length > 0 && !offered.includes(target))
    throw unsuited(device, `the BMC offers ${offered.join(', ')}`);
  if (url !== undefined && !Object.hasOwn(place.boot, 'HttpBootUri'))
    throw unsuited(device, 'the BMC takes no URL to boot from (HttpBootUri)');
  const { boot_mode: recorded } = task.node;
  const mode = recorded === 'bios' || recorded === 'uefi' ? recorded : undefined;
  const send = (enabled: 'Once' | 'Continuous') =>
    sendBoot(bmc, place, bootProperties({ target, enabled, url, mode }, place.boot, remedies));
  if (!isPersistent || remedies.persistent === 'once') {
    await send('Once');
    return isPersistent;
  }
  return continuousOrOnce(send);
}

/** Returns whether the BMC accepted the device for one boot only: some BMCs have no persistent boot device. */
async function continuousOrOnce(send: (enabled: 'Once' | 'Continuous') => Promise<void>): Promise<boolean> {
  try {
    await send('Continuous');
    return false;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined || refusal.messages.includes(IN_POST)) throw error;
    await send('Once');
    return true;
  }
}

const IN_POST = 'UnableToModifyDuringSystemPOST';

/**
 * Makes a change; repeats it, at most [redfish] post_boot_retry_attempts times, while the BMC refuses it because the machine is in
 * its power-on self test.
 */
export async function afterPost<T>(task: Task, change: () => Promise<T>): Promise<T> {
  const { post_boot_retry_attempts: attempts, post_boot_retry_delay: delay } = redfishOptions(task);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await change();
    } catch (error) {
      if (refusalOf(error)?.messages.includes(IN_POST) !== true || attempt > attempts) throw error;
      const seconds = Math.min(delay * 2 ** (attempt - 1), Math.max(delay, redfishLimits.postPauseSeconds));
      await task.clock.sleep(seconds * 1000);
    }
  }
}

function renewedOf({ node }: Task): JsonObject {
  const stored = (node.driver_internal_info as JsonObject)[RENEWED_KEY];
  return isJsonObject(stored) ? stored : {};
}

async function storeRenewed(task: Task, renewed: JsonObject | undefined): Promise<void> {
  const { [RENEWED_KEY]: known, ...rest } = task.node.driver_internal_info as JsonObject;
  if (JSON.stringify(known) === JSON.stringify(renewed)) return;
  await task.update({
    driver_internal_info: { ...rest, ...(renewed !== undefined && { [RENEWED_KEY]: renewed }) },
  });
}

const unsuited = (device: BootDevice, reason: string) =>
  fault('InvalidParameter', { name: 'boot_device', reason: `${device} is not possible: ${reason}` });

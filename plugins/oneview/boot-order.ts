// The boot order in a server profile.
import { type BootDevice, isJsonObject, type JsonObject } from '#plugin-api';
import { textOf } from './appliance/answer.ts';

/** The boot devices, each with its names in OneView and in the iLO. */
export const devices = {
  pxe: { profile: 'PXE', ilo: 'Pxe' },
  disk: { profile: 'HardDisk', ilo: 'Hdd' },
  cdrom: { profile: 'CD', ilo: 'Cd' },
} as const;

export type Device = keyof typeof devices;

export const isDevice = (device: string): device is Device => Object.hasOwn(devices, device);

/** The first device in the profile's boot order; null without a boot order, and for a device that the daemon does not know. */
export function firstDevice(profile: JsonObject): BootDevice | null {
  const [first] = orderIn(profile);
  const known = Object.entries(devices).find(([, names]) => names.profile === first);
  return known === undefined || !isDevice(known[0]) ? null : known[0];
}

/** Returns the profile with the device first in its boot order; undefined when the device is first already. */
export function withFirst(profile: JsonObject, device: Device): JsonObject | undefined {
  const wanted = devices[device].profile;
  const order = orderIn(profile);
  if (order[0] === wanted) return undefined;
  // the boot order of a UEFI profile contains only one device
  const isUefi = isJsonObject(profile['bootMode']) && textOf(profile['bootMode'], 'mode').startsWith('UEFI');
  const changed = isUefi ? [wanted] : [wanted, ...order.filter((one) => one !== wanted)];
  const boot = isJsonObject(profile['boot']) ? profile['boot'] : {};
  return { ...profile, boot: { ...boot, order: changed } };
}

function orderIn({ boot }: JsonObject): readonly string[] {
  const order = isJsonObject(boot) ? boot['order'] : undefined;
  return Array.isArray(order) ? order.filter((one) => typeof one === 'string') : [];
}

// What is sent to a BMC to change the boot device or mode: which properties, and whether to the system or to its settings resource.
import { type BootDevice, type BootMode, type JsonObject } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { objectIn, pathIn, stringsIn, textIn } from '../bmc/fields.ts';
import type { Remedies } from '../quirks/remedies.ts';

/** A copy of the system that is not older than this counts as current. */
const FRESH_SECONDS = 120;

export const bootTargets = {
  pxe: 'Pxe',
  disk: 'Hdd',
  cdrom: 'Cd',
  bios: 'BiosSetup',
  uefihttp: 'UefiHttp',
} as const satisfies Partial<Record<BootDevice, string>>;

export const modes = { uefi: 'UEFI', bios: 'Legacy' } as const satisfies Record<BootMode, string>;

/** Null when the BMC does not report the boot mode. */
export function bootModeIn({ BootSourceOverrideMode: mode }: JsonObject): BootMode | null {
  if (mode === modes.uefi) return 'uefi';
  return mode === modes.bios ? 'bios' : null;
}

/**
 * The property `Boot` of the system, and the path of the settings resource that accepts changes of this property, if there is
 * one.
 */
export interface BootPlace {
  readonly system: JsonObject;
  readonly systemPath: string;
  readonly settings: JsonObject;
  /** Undefined: the system itself accepts changes. */
  readonly settingsPath: string | undefined;
  /** The properties of both resources; where they differ, those of the settings resource count. */
  readonly boot: JsonObject;
}

export async function bootPlace(bmc: Bmc, maxAgeSeconds = FRESH_SECONDS): Promise<BootPlace> {
  const resource = await bmc.system(maxAgeSeconds);
  const systemPath = await bmc.systemPath();
  const system = objectIn(resource['Boot']);
  const { bootSettings } = await bmc.remedies();
  const unlinked = bootSettings === '' ? undefined : `${systemPath}/${bootSettings}`;
  const settingsPath = settingsLink(resource) ?? unlinked;
  const found =
    settingsPath === undefined
      ? undefined
      : await bmc.recent(settingsPath, maxAgeSeconds, () => bmc.find(settingsPath));
  const settings = objectIn(found?.['Boot']);
  return {
    system,
    systemPath,
    settings,
    settingsPath: found === undefined ? undefined : settingsPath,
    boot: { ...system, ...settings },
  };
}

/** Returns the boot settings. If the settings resource cannot be read, returns those that the system itself shows. */
export async function readBoot(bmc: Bmc, maxAgeSeconds = FRESH_SECONDS): Promise<JsonObject> {
  const place = await bmc.optional('the boot settings', () => bootPlace(bmc, maxAgeSeconds));
  return place?.boot ?? objectIn((await bmc.system(maxAgeSeconds))['Boot']);
}

/** The path of the settings resource that accepts changes of `resource`. */
export const settingsLink = (resource: JsonObject): string | undefined =>
  pathIn(objectIn(resource['@Redfish.Settings'])['SettingsObject']);

export interface BootChange {
  readonly target: string;
  readonly enabled: 'Once' | 'Continuous';
  /** The URL to boot from, if the target is UefiHttp. */
  readonly url: string | undefined;
  /** The recorded boot mode, for BMCs that forget it. */
  readonly mode: BootMode | undefined;
}

/** Returns the properties to send to the BMC. */
export function bootProperties(change: BootChange, current: JsonObject, remedies: Remedies): JsonObject {
  const { target, enabled, url } = change;
  const { bootFull, bootEnabled } = remedies;
  const isChanged = current['BootSourceOverrideEnabled'] !== enabled;
  const mode = modeToSend(change, current, remedies);
  return {
    BootSourceOverrideTarget: target,
    ...((isChanged || bootEnabled === 'always' || bootFull) && { BootSourceOverrideEnabled: enabled }),
    ...(mode !== undefined && { BootSourceOverrideMode: mode }),
    ...uriChange(url, current),
  };
}

function modeToSend(
  { mode }: BootChange,
  current: JsonObject,
  { bootFull, bootModeAgain }: Remedies,
): string | undefined {
  const shown = textIn(current['BootSourceOverrideMode']);
  const recorded = mode && modes[mode];
  if (bootFull) return shown ?? recorded ?? modes.uefi;
  return bootModeAgain ? (recorded ?? shown) : undefined;
}

/** Returns the change of HttpBootUri to `url`; without `url`, the change that clears the URL of an earlier boot over HTTP. */
function uriChange(url: string | undefined, current: JsonObject): JsonObject {
  const known = current['HttpBootUri'] ?? '';
  if (url !== undefined) return { HttpBootUri: url };
  return known === '' ? {} : { HttpBootUri: null };
}

/** Sends each property to the resource that has it: the settings resource, or else the system. */
export async function sendBoot(bmc: Bmc, place: BootPlace, properties: JsonObject): Promise<void> {
  const { system, systemPath, settings, settingsPath } = place;
  const isSet = (name: string) => Object.hasOwn(settings, name) || Object.keys(system).length === 0;
  const names = Object.keys(properties);
  const later = settingsPath === undefined ? [] : names.filter(isSet);
  const now = names.filter((name) => !later.includes(name));
  if (settingsPath !== undefined && later.length > 0)
    await bmc.patch(settingsPath, { Boot: picked(properties, later) });
  if (now.length > 0) await bmc.patch(systemPath, { Boot: picked(properties, now) });
  bmc.forgetReadings();
}

const picked = (properties: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name)));

/** The targets that the BMC offers; empty when it does not say. */
export const offeredTargets = (boot: JsonObject): readonly string[] =>
  stringsIn(boot['BootSourceOverrideTarget@Redfish.AllowableValues']);

/** Some Supermicro BMCs boot virtual media only with the target UsbCd, others only with Cd. */
export function targetFor(device: keyof typeof bootTargets, boot: JsonObject, { bootCd }: Remedies): string {
  if (device !== 'cdrom') return bootTargets[device];
  if (bootCd !== 'auto') return bootCd;
  return offeredTargets(boot).includes('UsbCd') ? 'UsbCd' : 'Cd';
}

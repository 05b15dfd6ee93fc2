// Changes BIOS settings: the BMC stores them, and they take effect when the machine boots.
import { defineFault, type JsonObject, type StepOutcome, type Task } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { converse } from '../bmc/converse.ts';
import { objectIn, pathIn, stringsIn } from '../bmc/fields.ts';
import { hasRamdisk, isSilent, isUnfinished, type Reboot, rebootOnce } from '../steps/reboot.ts';
import { storedState } from '../steps/stored-state.ts';
import { readRegistry } from './registry.ts';
import { type Attributes, requestedAttributes } from './requested-settings.ts';
import { redfishLimits } from '../limits.ts';

const biosNotApplied = defineFault(
  'BiosNotApplied',
  500,
  'BIOS settings of node {node} did not take effect within {seconds} s, although the machine was rebooted: {names}.',
);

interface State extends JsonObject {
  readonly requested: Attributes;
  readonly intoRamdisk: boolean;
  /** Null: the reboot has not begun. */
  readonly reboot: Reboot | null;
  /** When the BMC was given the settings, in milliseconds since the epoch. */
  readonly since: number;
}

const stored = storedState<State>('redfish_bios_state');

/**
 * Makes the BMC store the settings; `done` when the machine has these settings already. Throws InvalidParameter before anything
 * changes.
 */
export async function applyConfiguration(task: Task, given: JsonObject): Promise<StepOutcome> {
  const requested = await converse(task, { operation: 'Changing BIOS settings', length: 4 }, (bmc) =>
    send(bmc, task, given),
  );
  if (requested === undefined) return 'done';
  await stored.store(task, {
    requested,
    intoRamdisk: hasRamdisk(task),
    reboot: null,
    since: task.clock.now(),
  });
  return 'wait';
}

/** Returns the settings that were sent; undefined when the machine has them already. */
async function send(bmc: Bmc, task: Task, given: JsonObject): Promise<Attributes | undefined> {
  const { bios, path } = await readBios(bmc, task);
  const requested = requestedAttributes(given, await readRegistry(bmc, bios));
  const settingsPath = await pendingPath(bmc, bios, path);
  const settings = await bmc.optional('the pending BIOS settings', () => bmc.get(settingsPath));
  const pending = objectIn(settings?.['Attributes']);
  const current = objectIn(bios['Attributes']);
  const isThere = ([name, value]: readonly [string, unknown]) =>
    current[name] === value && (pending[name] ?? value) === value;
  if (Object.entries(requested).every(isThere)) return undefined;
  const times = stringsIn(objectIn(bios['@Redfish.Settings'])['SupportedApplyTimes']);
  await bmc.patch(settingsPath, {
    Attributes: requested,
    ...(times.includes('OnReset') && {
      '@Redfish.SettingsApplyTime': {
        '@odata.type': '#Settings.v1_0_0.PreferredApplyTime',
        ApplyTime: 'OnReset',
      },
    }),
  });
  return requested;
}

export async function readBios(
  bmc: Bmc,
  task: Task,
): Promise<{ readonly bios: JsonObject; readonly path: string }> {
  const path = pathIn((await bmc.knownSystem())['Bios']);
  const bios = path === undefined ? undefined : await bmc.find(path, 'Bios');
  if (path === undefined || bios === undefined) throw noBios({ node: task.node.uuid });
  return { bios, path };
}

const noBios = defineFault(
  'BiosNotManaged',
  400,
  'The BMC of node {node} does not manage the BIOS of its machine.',
);

async function pendingPath(bmc: Bmc, bios: JsonObject, path: string): Promise<string> {
  const linked = pathIn(objectIn(bios['@Redfish.Settings'])['SettingsObject']);
  const { biosSettings } = await bmc.remedies();
  return linked ?? `${path}/${biosSettings === '' ? 'Settings' : biosSettings}`;
}

/**
 * The first call reboots the machine; later calls check whether the new settings are in effect, and repeat a reboot that was
 * interrupted.
 */
export async function checkConfiguration(task: Task): Promise<StepOutcome> {
  const state = stored.of(task);
  if (state === undefined) return 'done';
  if (state.reboot === null) return rebooted(task, state);
  const wrong = await wrongSettings(task, state.requested);
  if (wrong.length === 0) {
    await stored.remove(task);
    return 'done';
  }
  if (await isUnfinished(task, state.reboot)) return rebooted(task, state);
  if (task.clock.now() - state.since < redfishLimits.biosSeconds * 1000) return 'wait';
  await stored.remove(task);
  throw biosNotApplied({ node: task.node.uuid, seconds: redfishLimits.biosSeconds, names: wrong.join(', ') });
}

async function rebooted(task: Task, { intoRamdisk }: State): Promise<StepOutcome> {
  await rebootOnce(task, intoRamdisk, (reboot) => stored.change(task, { reboot }));
  return 'wait';
}

/**
 * Returns the names of the requested settings that are not in effect yet; the names of all requested settings while the BMC does
 * not answer or is not ready.
 */
async function wrongSettings(task: Task, requested: Attributes): Promise<readonly string[]> {
  try {
    const { bios } = await converse(task, { operation: 'Reading BIOS settings' }, (bmc) =>
      readBios(bmc, task),
    );
    const current = objectIn(bios['Attributes']);
    return Object.keys(requested).filter((name) => current[name] !== requested[name]);
  } catch (error) {
    if (isSilent(error)) return Object.keys(requested);
    throw error;
  }
}

// Reads a machine's BIOS settings, firmware versions, boot mode and Secure Boot state, to store them. Failures are only logged.
import { unknownRegistryEntry } from '../../model/records/bios-setting.ts';
import type { NodeChanges } from '../../model/records/node.ts';
import { reasonOf } from '../../model/faults.ts';
import type { JsonObject } from '../../model/json.ts';
import { availableInterface } from '../../plugin-host/compose.ts';
import type { BiosSettingSeen, FirmwareSeen } from '../../plugin-api/index.ts';
import { now } from '../services.ts';
import type { NodeTask } from '../tasks/task.ts';

/** Stores the BIOS settings and firmware components of the machine. Returns its boot mode and Secure Boot state, to be stored. */
export async function cacheHardwareState(task: NodeTask): Promise<NodeChanges> {
  await readOrWarn(task, 'BIOS settings', async () => {
    const seen = await availableInterface(task.driver, 'bios')?.readSettings?.(task.view);
    if (seen !== undefined) storeBiosSettings(task, seen);
  });
  await readOrWarn(task, 'firmware versions', async () => {
    const seen = await availableInterface(task.driver, 'firmware')?.readComponents?.(task.view);
    if (seen !== undefined) storeFirmware(task, seen);
  });
  const mode = await readOrWarn(task, 'boot mode', async () =>
    availableInterface(task.driver, 'management')?.getBootMode?.(task.view),
  );
  const secure = await readOrWarn(task, 'Secure Boot state', async () =>
    availableInterface(task.driver, 'management')?.getSecureBoot?.(task.view),
  );
  return {
    ...(typeof mode === 'string' && { boot_mode: mode }),
    ...(typeof secure === 'boolean' && { secure_boot: secure }),
  };
}

async function readOrWarn<T>(task: NodeTask, what: string, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    task.log.warn({ reason: reasonOf(error) }, `could not read the ${what} of the machine`);
    return undefined;
  }
}

function storeBiosSettings(task: NodeTask, seen: readonly BiosSettingSeen[]): void {
  const table = task.services.db.biosSettings;
  const time = now(task.services);
  const stored = table.ofNode(task.node.uuid);
  const settings = seen.map(({ name, value, ...given }) => {
    const registry: JsonObject = { ...unknownRegistryEntry, ...given };
    const known = stored.find((setting) => setting.name === name);
    return withTimes(known, { node_uuid: task.node.uuid, name, value, registry }, time);
  });
  table.replace(task.node.uuid, settings);
}

function storeFirmware(task: NodeTask, seen: readonly FirmwareSeen[]): void {
  const table = task.services.db.firmwareComponents;
  const time = now(task.services);
  const stored = table.ofNode(task.node.uuid);
  const components = seen.map((found) => {
    const known = stored.find(({ component }) => component === found.component);
    const component = {
      node_uuid: task.node.uuid,
      initial_version: known?.initial_version ?? found.current_version,
      last_version_flashed: known?.last_version_flashed ?? null,
      vendor: null,
      model: null,
      serial_number: null,
      ...found,
    };
    return withTimes(known, component, time);
  });
  table.replace(task.node.uuid, components);
}

interface Dated {
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

/**
 * Returns `seen` with the timestamps of the stored record `known`. `time` becomes the `created_at` of a new record, or the
 * `updated_at` of a record in which a value differs.
 */
function withTimes<S extends object>(known: (S & Dated) | undefined, seen: S, time: string): S & Dated {
  if (known === undefined) return { ...seen, created_at: time, updated_at: null };
  const differs = Object.entries(seen).some(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name as keyof S]),
  );
  return { ...seen, created_at: known.created_at, updated_at: differs ? time : known.updated_at };
}

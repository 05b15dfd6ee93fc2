// Reads a machine's BIOS settings, firmware versions, boot mode and Secure Boot state, to store them. Failures are only logged.
import { unknownRegistryEntry } from '../../model/records/bios-setting.ts';
import type { NodeChanges } from '../../model/records/node.ts';
import { reasonOf } from '../../model/faults.ts';
import type { JsonObject } from '../../model/json.ts';
import type { NodePartsTable } from '../../db/tables/node-parts.ts';
import { availableInterface } from '../../plugin-host/compose.ts';
import type { BiosSettingSeen, FirmwareSeen } from '../../plugin-api/index.ts';
import { now } from '../../lib/clock.ts';
import type { HardwareTask } from './services.ts';

/** Stores the BIOS settings and firmware components of the machine. Returns its boot mode and Secure Boot state, to be stored. */
export async function cacheHardwareState(task: HardwareTask): Promise<NodeChanges> {
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

async function readOrWarn<T>(
  task: HardwareTask,
  what: string,
  ask: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    task.log.warn({ reason: reasonOf(error) }, `could not read the ${what} of the machine`);
    return undefined;
  }
}

function storeBiosSettings(task: HardwareTask, seen: readonly BiosSettingSeen[]): void {
  storeParts(task, task.services.db.biosSettings, 'name', () =>
    seen.map(({ name, value, ...given }) => {
      const registry: JsonObject = { ...unknownRegistryEntry, ...given };
      return { node_uuid: task.node.uuid, name, value, registry };
    }),
  );
}

function storeFirmware(task: HardwareTask, seen: readonly FirmwareSeen[]): void {
  storeParts(task, task.services.db.firmwareComponents, 'component', (stored) =>
    seen.map((found) => {
      const known = stored.get(found.component);
      return {
        node_uuid: task.node.uuid,
        initial_version: known?.initial_version ?? found.current_version,
        last_version_flashed: known?.last_version_flashed ?? null,
        vendor: null,
        model: null,
        serial_number: null,
        ...found,
      };
    }),
  );
}

interface Dated {
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

/** Makes the table hold what `read` returns for the node; writes nothing when that is what it holds already. `key` names a record. */
function storeParts<R extends Dated>(
  task: HardwareTask,
  table: NodePartsTable<R>,
  key: keyof R,
  read: (stored: ReadonlyMap<unknown, R>) => readonly Omit<R, keyof Dated>[],
): void {
  const { uuid } = task.node;
  const time = now(task.services);
  const stored = new Map(table.ofNode(uuid).map((record) => [record[key], record]));
  const records = read(stored).map((seen) => withTimes(stored.get((seen as R)[key]), seen as R, time));
  const isStored = (record: R) => stored.get(record[key]) === record;
  if (records.length !== stored.size || !records.every(isStored)) table.replace(uuid, records);
}

/** Returns the stored record `known` if `seen` has the same values; else `seen`, created when `known` was or updated at `time`. */
function withTimes<R extends Dated>(known: R | undefined, seen: R, time: string): R {
  if (known === undefined) return { ...seen, created_at: time, updated_at: null };
  const differs = Object.entries(seen).some(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name as keyof R]),
  );
  return differs ? { ...seen, created_at: known.created_at, updated_at: time } : known;
}

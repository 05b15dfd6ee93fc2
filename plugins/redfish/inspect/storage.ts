// The disks and storage controllers of a machine.
import type { JsonObject } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { objectIn, objectsIn, pathIn, stringsIn, textIn, wholeIn } from '../bmc/fields.ts';
import { readStorages, storagePaths } from '../bmc/storages.ts';

export interface Disk extends JsonObject {
  readonly name: string;
  /** The size in bytes. */
  readonly size: number;
}

interface Storage {
  /** The disks that an operating system sees: volumes if there are any, or else drives. */
  readonly disks: readonly Disk[];
  readonly controllers: readonly JsonObject[];
}

export async function readStorage(bmc: Bmc, system: JsonObject): Promise<Storage> {
  const [volumes, drives, controllers]: [Disk[], Disk[], JsonObject[]] = [[], [], []];
  for (const { resource, drives: own } of await readStorages(bmc, await storagePaths(bmc))) {
    const made = await bmc.optionalMembers('the volumes', pathIn(resource['Volumes']));
    volumes.push(...made.flatMap(diskOf));
    drives.push(...own.flatMap(diskOf));
    controllers.push(controllerOf(resource, own));
  }
  const disks = volumes.length > 0 ? volumes : drives;
  return { disks: disks.length > 0 ? disks : await simpleDisks(bmc, system), controllers };
}

async function simpleDisks(bmc: Bmc, system: JsonObject): Promise<readonly Disk[]> {
  const members = await bmc.optionalMembers('the disks', pathIn(system['SimpleStorage']));
  return members.flatMap(({ Devices: devices }) => objectsIn(devices).flatMap(diskOf));
}

function diskOf(resource: JsonObject): readonly Disk[] {
  const size = wholeIn(resource['CapacityBytes']) ?? 0;
  return size > 0 ? [{ name: textIn(resource['Name']) ?? textIn(resource['Id']) ?? '', size }] : [];
}

const controllerOf = (storage: JsonObject, drives: readonly JsonObject[]): JsonObject => ({
  id: textIn(storage['Id']) ?? '',
  name: textIn(storage['Name']) ?? '',
  storage_controllers: objectsIn(storage['StorageControllers']).map((controller) => ({
    member_id: textIn(controller['MemberId']) ?? '',
    raid_types: stringsIn(controller['SupportedRAIDTypes']),
  })),
  drives: drives.map((drive) => ({
    id: textIn(drive['Id']) ?? '',
    name: textIn(drive['Name']) ?? '',
    size: wholeIn(drive['CapacityBytes']) ?? 0,
    serial_number: textIn(drive['SerialNumber'])?.trim() ?? null,
    media_type: textIn(drive['MediaType']) ?? null,
    protocol: textIn(drive['Protocol']) ?? null,
    status: { health: textIn(objectIn(drive['Status'])['Health']) ?? null },
  })),
});

// The drives and volumes of a machine's storage controllers.
import type { JsonObject } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { allStorages } from '../bmc/storages.ts';
import { numberIn, objectIn, objectsIn, pathIn, pathsIn, stringsIn, textIn } from '../bmc/fields.ts';
import type { Drive } from './requested-volumes.ts';

const GIBIBYTE = 1024 ** 3;

export interface Controller {
  readonly id: string;
  readonly name: string;
  /** The path of the collection of the controller's volumes. */
  readonly volumesPath: string;
  /** When changes of volumes can take effect; empty: the BMC does not say. */
  readonly applyTimes: readonly string[];
  readonly drives: readonly Drive[];
  readonly volumes: readonly JsonObject[];
}

/** The controllers that can make volumes. */
export async function readControllers(bmc: Bmc): Promise<readonly Controller[]> {
  const found: Controller[] = [];
  for (const storage of await allStorages(bmc)) {
    const volumesPath = pathIn(storage['Volumes']);
    if (volumesPath === undefined || !makesVolumes(storage)) continue;
    const collection = await bmc.find(volumesPath);
    if (collection === undefined) continue;
    found.push({
      id: textIn(storage['Id']) ?? '',
      name: textIn(objectsIn(storage['StorageControllers'])[0]?.['Name']) ?? textIn(storage['Name']) ?? '',
      volumesPath,
      applyTimes: stringsIn(objectIn(collection['@Redfish.OperationApplyTimeSupport'])['SupportedValues']),
      drives: await drivesOf(bmc, storage),
      volumes: await bmc.members(volumesPath),
    });
  }
  return found;
}

/** A controller whose list of RAID types is empty cannot make volumes; a controller without such a list may be able to. */
function makesVolumes(storage: JsonObject): boolean {
  const types = objectsIn(storage['StorageControllers'])[0]?.['SupportedRAIDTypes'];
  return !Array.isArray(types) || types.length > 0;
}

async function drivesOf(bmc: Bmc, storage: JsonObject): Promise<readonly Drive[]> {
  const drives: Drive[] = [];
  for (const path of pathsIn(storage['Drives'])) {
    const drive = await bmc.find(path);
    const bytes = numberIn(drive?.['CapacityBytes']) ?? 0;
    if (drive === undefined || bytes === 0) continue;
    drives.push({
      path,
      id: textIn(drive['Id']) ?? '',
      controller: textIn(storage['Id']) ?? '',
      bytes,
      mediaType: textIn(drive['MediaType']),
      protocol: textIn(drive['Protocol']),
    });
  }
  return drives;
}

/** Whether the volume is a RAID. Drives that a controller passes through are listed as volumes too, with no RAID type or `None`. */
export const isRaid = ({ RAIDType: type }: JsonObject): boolean =>
  typeof type === 'string' && type !== 'None';

const levelOf: Readonly<Record<string, string>> = {
  RAID0: '0',
  RAID1: '1',
  RAID5: '5',
  RAID6: '6',
  RAID10: '1+0',
  RAID50: '5+0',
  RAID60: '6+0',
};

/** Returns the logical disks as `raid_config` shows them. */
export const logicalDisks = (controllers: readonly Controller[]): readonly JsonObject[] =>
  controllers.flatMap(({ id: controller, volumes }) =>
    volumes.filter(isRaid).map((volume) => ({
      id: textIn(volume['Id']) ?? '',
      name: textIn(volume['Name']) ?? '',
      controller,
      size_gb: Math.floor((numberIn(volume['CapacityBytes']) ?? 0) / GIBIBYTE),
      raid_level: levelOf[textIn(volume['RAIDType']) ?? ''] ?? textIn(volume['RAIDType']) ?? '',
    })),
  );

// Begins those jobs of an iDRAC that change storage. A function that begins jobs returns the paths of the tasks that show their
// progress.
import type { JsonObject, Task } from '#plugin-api';
import {
  allStorages,
  type BmcAnswer,
  type Bmc,
  type Controller,
  isRaid,
  objectIn,
  pathIn,
  pathsIn,
  readControllers,
  refusalOf,
  textIn,
} from '#plugin-api/redfish';
import { callService } from '../dell-services.ts';

const NO_FOREIGN_CONFIGURATION = 'STOR018';

/** False for boot-optimized controllers (BOSS), which have neither passed-through drives nor foreign configurations. */
const isFull = ({ name }: Controller): boolean => !name.toUpperCase().includes('BOSS');

/**
 * Converts each of `drives` to RAID mode if its controller passes it through to the operating system. Returns the paths of the
 * tasks.
 */
export async function convertDrives(
  bmc: Bmc,
  task: Task,
  drives: readonly string[],
): Promise<readonly string[]> {
  const jobs: string[] = [];
  for (const controller of (await readControllers(bmc)).filter(isFull)) {
    const passed = passedThrough(controller);
    const ids = controller.drives
      .filter(({ path }) => passed.has(path) && drives.includes(path))
      .map(({ id }) => id);
    if (ids.length === 0) continue;
    const body = { PDArray: ids };
    const answer = await callService(bmc, task, {
      service: 'DellRaidService',
      action: 'ConvertToRAID',
      body,
    });
    jobs.push(...taskOfJob(bmc, answer));
  }
  return jobs;
}

/** Returns the paths of the drives that the controller passes through. Each of them appears as a volume without a RAID type. */
const passedThrough = ({ volumes }: Controller): ReadonlySet<string> =>
  new Set(
    volumes
      .filter((volume) => !isRaid(volume))
      .flatMap((volume) => pathsIn(objectIn(volume['Links'])['Drives'])),
  );

/** Removes configurations of other machines: a drive that carries one cannot be used. */
export async function clearForeignConfigurations(bmc: Bmc, task: Task): Promise<readonly string[]> {
  const jobs: string[] = [];
  for (const { id } of (await readControllers(bmc)).filter(isFull)) {
    const body = { TargetFQDD: id };
    try {
      const call = { service: 'DellRaidService', action: 'ClearForeignConfig', body } as const;
      jobs.push(...taskOfJob(bmc, await callService(bmc, task, call)));
    } catch (error) {
      if (refusalOf(error)?.messages.includes(NO_FOREIGN_CONFIGURATION) !== true) throw error;
    }
  }
  return jobs;
}

/** Brings the controllers that report a mode other than RAID into RAID mode; the change takes effect at the next boot. */
export async function convertControllers(bmc: Bmc): Promise<readonly string[]> {
  const jobs: string[] = [];
  for (const storage of await allStorages(bmc)) {
    const [controller] = await bmc.membersIfAny(pathIn(storage['Controllers']));
    const mode = controller && textIn(dellPart(controller)['ControllerMode']);
    if (controller === undefined || mode === undefined || mode === 'RAID') continue;
    const settings = pathIn(objectIn(controller['@Redfish.Settings'])['SettingsObject']);
    const answer = await bmc.patch(settings ?? pathIn(controller) ?? '', {
      Oem: { Dell: { DellStorageController: { ControllerMode: 'RAID' } } },
      '@Redfish.SettingsApplyTime': {
        '@odata.type': '#Settings.v1_0_0.PreferredApplyTime',
        ApplyTime: 'OnReset',
      },
    });
    jobs.push(...taskOfJob(bmc, answer));
  }
  return jobs;
}

const dellPart = ({ Oem: oem }: JsonObject): JsonObject =>
  objectIn(objectIn(objectIn(oem)['Dell'])['DellStorageController']);

/**
 * Returns a list with the path of the task that shows the progress of the job in the answer's Location; an empty list if there is
 * none. The task has the Id of the job.
 */
function taskOfJob(bmc: Bmc, { location }: BmcAnswer): readonly string[] {
  const id = location?.split('/').findLast((part) => part !== '');
  return id === undefined ? [] : [`${bmc.rootPath}/TaskService/Tasks/${id}`];
}

/** Whether the job begins only when the machine boots. */
export async function needsReboot(bmc: Bmc, task: string): Promise<boolean> {
  const { Oem: oem } = (await bmc.find(task)) ?? {};
  return textIn(objectIn(objectIn(oem)['Dell'])['JobType']) === 'RAIDConfiguration';
}

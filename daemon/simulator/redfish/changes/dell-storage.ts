// The jobs of an iDRAC that change storage, except jobs that make and delete volumes.
import type { JsonObject } from '../../../model/json.ts';
import { type RedfishAnswer, Refused } from '../answer.ts';
import { acceptedTask, type Acting, queued } from './acting.ts';

/** Turns an answer that points to a task into one that points to the Dell job with the same ID. */
function asJob({ paths }: Acting, answer: RedfishAnswer): RedfishAnswer {
  const id = answer.headers?.['location']?.split('/').at(-1) ?? '';
  return { status: 202, headers: { location: `${paths.dell}/Jobs/${id}` } };
}

/** Drives outside of RAID appear as volumes without a RAID type. Converting such a drive to RAID deletes its volume. */
export function convertToRaid(acting: Acting, { PDArray: ids }: JsonObject): RedfishAnswer {
  const { machine, tasks, paths } = acting;
  const drives = Array.isArray(ids) ? ids.map((id) => `${paths.storage}/Drives/${id}`) : [];
  const convert = () => {
    for (const [path, volume] of machine.volumes)
      if (drives.some((drive) => JSON.stringify(volume['Links']).includes(`"${drive}"`)))
        machine.volumes.delete(path);
  };
  return asJob(acting, acceptedTask(tasks.begin('ConvertToRAID', false, convert).path));
}

/** Throws Refused. */
export function clearForeignConfiguration(acting: Acting): RedfishAnswer {
  const { machine, tasks } = acting;
  if (!machine.hasForeignConfiguration)
    throw new Refused(400, 'IDRAC.2.8.STOR018', 'There are no foreign drives');
  const clear = () => void (machine.hasForeignConfiguration = false);
  const isAtOnce = machine.shape.volumeApplyTimes.includes('Immediate');
  const job = tasks.begin('ClearForeignConfig', !isAtOnce, clear);
  return asJob(acting, isAtOnce ? acceptedTask(job.path) : queued(machine, job));
}

/** Begins a task that changes the mode of the controller after the next boot. */
export function changeController({ machine, tasks }: Acting, { Oem: oem }: JsonObject): RedfishAnswer {
  const wanted = JSON.stringify(oem ?? null).includes('"ControllerMode":"RAID"') ? 'RAID' : 'HBA';
  const change = () => void (machine.controllerMode = wanted);
  return queued(machine, tasks.begin('ChangeController', true, change));
}

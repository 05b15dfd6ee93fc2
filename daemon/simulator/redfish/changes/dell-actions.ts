// The actions of Dell's own services.
import { type RedfishAnswer, notAllowed } from '../answer.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { FakeMachine } from '../machine.ts';
import { acceptedTask, type Acting, type Post } from './acting.ts';
import { clearForeignConfiguration, convertToRaid } from './dell-storage.ts';
import { textOr } from '../resources/odata.ts';

const DONE: RedfishAnswer = { status: 200, body: {} };
const RESET_SECONDS = 60;

/** Throws Refused. */
export function dellAction(acting: Acting, { path, body }: Post): RedfishAnswer {
  const { machine, paths, tasks, fallSilent } = acting;
  switch (path.slice(path.lastIndexOf('/') + 1)) {
    case 'DellJobService.DeleteJobQueue':
      for (const each of tasks.paths) tasks.remove(each);
      return DONE;
    case 'DelliDRACCardService.iDRACReset':
      fallSilent(RESET_SECONDS);
      return DONE;
    case 'DellLCService.GetRemoteServicesAPIStatus':
      return { status: 200, body: readiness(machine) };
    case 'DellRaidService.ConvertToRAID':
      return convertToRaid(acting, body);
    case 'DellRaidService.ClearForeignConfig':
      return clearForeignConfiguration(acting);
    case 'OemManager.ExportSystemConfiguration':
      return acceptedTask(tasks.begin('ExportSystemConfiguration', false, () => undefined).path);
    case 'OemManager.ImportSystemConfiguration': {
      const imported = textOr(body['ImportBuffer']);
      const boots = imported.includes('VCD-DVD');
      const boot = { BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Once' };
      return acceptedTask(
        tasks.begin('ImportSystemConfiguration', false, () => {
          if (boots) machine.boot = { ...machine.boot, ...boot };
        }).path,
      );
    }
    default:
      throw notAllowed(`POST to ${path} of ${paths.manager}`);
  }
}

/** The storage (`RTStatus`) is not ready while the machine is off, and for the next `asksUntilReady` requests. */
function readiness(machine: FakeMachine): JsonObject {
  const isReady = machine.power === 'On' && machine.asksUntilReady === 0;
  machine.asksUntilReady = Math.max(0, machine.asksUntilReady - 1);
  return { LCStatus: 'Ready', RTStatus: isReady ? 'Ready' : 'NotReady', Status: 'Ready' };
}

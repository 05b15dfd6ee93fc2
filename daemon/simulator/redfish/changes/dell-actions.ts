// The actions of Dell's own services.
import { type Answer, notAllowed } from '../answer.ts';
import { accepted, type Acting, type Post } from './acting.ts';
import { textOf } from '../resources/odata.ts';

const DONE: Answer = { status: 200, body: {} };
const RESET_SECONDS = 60;

/** Throws Refused. */
export function dellAction({ machine, paths, tasks, fallSilent }: Acting, { path, body }: Post): Answer {
  switch (path.slice(path.lastIndexOf('/') + 1)) {
    case 'DellJobService.DeleteJobQueue':
      for (const each of tasks.paths) tasks.remove(each);
      return DONE;
    case 'DelliDRACCardService.iDRACReset':
      fallSilent(RESET_SECONDS);
      return DONE;
    case 'DellLCService.GetRemoteServicesAPIStatus':
      return { status: 200, body: { LCStatus: 'Ready', RTStatus: 'Ready', Status: 'Ready' } };
    case 'OemManager.ExportSystemConfiguration':
      return accepted(tasks.begin('ExportSystemConfiguration', false, () => undefined).path);
    case 'OemManager.ImportSystemConfiguration': {
      const imported = textOf(body['ImportBuffer']);
      const boots = imported.includes('VCD-DVD');
      const boot = { BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Once' };
      return accepted(
        tasks.begin('ImportSystemConfiguration', false, () => {
          if (boots) machine.boot = { ...machine.boot, ...boot };
        }).path,
      );
    }
    default:
      throw notAllowed(`POST to ${path} of ${paths.manager}`);
  }
}

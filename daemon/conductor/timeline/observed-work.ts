// Creates and connects what observes machines and the work on them: the timeline, the transitions and the times of work.
import type { Services } from '../services.ts';
import { WorkTimes } from '../tasks/work-times.ts';
import { measureBoots } from './boot-times.ts';
import { createRecorder } from './recorder.ts';

export function observedWork(
  db: Services['db'],
  clock: Services['clock'],
  log: Services['log'],
): Pick<Services, 'timeline' | 'transitions' | 'workTimes'> {
  const transitions: Services['transitions'] = new Set();
  const timeline = createRecorder(db, clock, log);
  const workTimes = new WorkTimes({ db, clock, log, transitions });
  measureBoots({ timeline, db, workTimes });
  return { timeline, transitions, workTimes };
}

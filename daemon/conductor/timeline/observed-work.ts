// Creates and connects what observes machines and the work on them: the timeline, the transitions and the times of work.
import { WorkTimes } from './work-times.ts';
import { measureBoots } from './boot-times.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import type { Database } from '../../db/database.ts';
import type { Logger } from '../../lib/logger.ts';
import type { WatchedClock } from '../../lib/watched-clock.ts';
import type { Transitions } from './transitions.ts';

export interface ObservedWork {
  readonly timeline: Recorder;
  readonly transitions: Transitions;
  readonly workTimes: WorkTimes;
}

export function observedWork(db: Database, clock: WatchedClock, log: Logger): ObservedWork {
  const transitions: Transitions = { storing: new Set(), stored: new Set(), waiting: new Set() };
  const timeline = createRecorder(db, clock, log);
  const workTimes = new WorkTimes({ db, clock, log, transitions });
  measureBoots({ timeline, db, workTimes });
  return { timeline, transitions, workTimes };
}

// Takes a RAID step through its stages. The requests to the iDRAC are recorded in the node, and each poll continues from this
// record.
import { defineFault, type JsonObject, type Step, type StepOutcome, type Task } from '#plugin-api';
import {
  converse,
  hasRamdisk,
  isSilent,
  isUnfinished,
  readTask,
  type Reboot,
  rebootOnce,
  storedState,
} from '#plugin-api/redfish';
import { clearForeignConfigurations, convertControllers, convertDrives, needsReboot } from './jobs.ts';
import { isRealTimeReady } from './readiness.ts';

/** `readiness` waits for the iDRAC, `volumes` is the work of the `redfish` step, and the other stages are jobs of the iDRAC. */
type Stage = 'readiness' | 'drives' | 'volumes' | 'foreign configurations' | 'controllers';

export interface Course {
  readonly stages: readonly Stage[];
  /** The paths of the drives that must be in RAID mode. */
  readonly drives: (task: Task, given: JsonObject) => Promise<readonly string[]>;
}

interface State extends JsonObject {
  readonly stage: Stage;
  /** The paths of the tasks that must end before the next stage; null until the answer to the stage's request is recorded. */
  readonly jobs: readonly string[] | null;
  /** The reboot for this stage; null: none yet. */
  readonly reboot: Reboot | null;
  readonly intoRamdisk: boolean;
  /** When this stage began, in milliseconds since the epoch. */
  readonly since: number;
}

interface Run {
  readonly task: Task;
  readonly given: JsonObject;
  readonly course: Course;
  readonly step: Step;
}

const READINESS_SECONDS = 300;
const JOB_SECONDS = 7200;
/**
 * The time limit of a conversation as a multiple of `read_timeout`: a conversation sends several requests for each controller or
 * job.
 */
const LENGTH = 10;

const stored = storedState<State>('idrac_raid', ({ jobs }) => jobs ?? []);

const jobFailed = defineFault(
  'StorageJobFailed',
  500,
  'The iDRAC of node {node} did not carry out the stage {stage}: {reason}.',
);

export function staged(step: Step, course: Course): Step {
  const { poll } = step;
  if (poll === undefined) return step;
  return {
    ...step,
    run: (task, given) => {
      const run = { task, given, course, step };
      return guarded(run, () => enter(run, 0, hasRamdisk(task)));
    },
    poll: {
      ...poll,
      check: (task, given) => {
        const run = { task, given, course, step };
        return guarded(run, () => followed(run));
      },
    },
  };
}

/** Runs the work of a stage. If that fails, removes the record and rethrows the error, and so the step fails. */
async function guarded({ task }: Run, work: () => Promise<StepOutcome>): Promise<StepOutcome> {
  try {
    return await work();
  } catch (error) {
    await stored.remove(task);
    throw error;
  }
}

/** Begins the stages in turn until one must wait. */
async function enter(run: Run, first: number, intoRamdisk: boolean): Promise<StepOutcome> {
  const { task, course } = run;
  for (const stage of course.stages.slice(first)) {
    // stored before anything is sent, so that a daemon killed after the request does not send it again when it restarts
    const since = task.clock.now();
    await stored.store(task, { stage, jobs: null, reboot: null, intoRamdisk, since });
    if (!(await begun(run, stage))) return 'wait';
  }
  await stored.remove(task);
  return 'done';
}

/** Begins the stage and returns whether it has ended already. */
async function begun({ task, given, course, step }: Run, stage: Stage): Promise<boolean> {
  if (stage === 'readiness') return isRealTimeReady(task, { mayPowerOn: true });
  if (stage === 'volumes') {
    const outcome = await step.run(task, given);
    await stored.change(task, { jobs: [] });
    return outcome === 'done';
  }
  const drives = await course.drives(task, given);
  const jobs = await converse(task, { operation: `Beginning the stage ${stage}`, length: LENGTH }, (bmc) => {
    if (stage === 'drives') return convertDrives(bmc, task, drives);
    return stage === 'controllers' ? convertControllers(bmc) : clearForeignConfigurations(bmc, task);
  });
  await stored.change(task, { jobs });
  return jobs.length === 0;
}

async function followed(run: Run): Promise<StepOutcome> {
  const { task, course } = run;
  const state = stored.of(task);
  if (state === undefined) return 'done';
  if (!(await hasEnded(run, state).catch(unlessSilent))) return 'wait';
  return enter(run, course.stages.indexOf(state.stage) + 1, state.intoRamdisk);
}

/** Returns false when the iDRAC does not answer, because it may restart while it changes storage; rethrows other errors. */
function unlessSilent(error: unknown): false {
  if (isSilent(error)) return false;
  throw error;
}

async function hasEnded({ task, given, step }: Run, state: State): Promise<boolean> {
  const elapsed = task.clock.now() - state.since;
  // the wait has a limit, because some controllers are never ready: their changes take effect at a boot
  if (state.stage === 'readiness')
    return elapsed > READINESS_SECONDS * 1000 || isRealTimeReady(task, { mayPowerOn: false });
  if (state.jobs === null)
    throw failed(
      task,
      state,
      'a restart of the daemon interrupted the request, and the daemon sends no request twice: run the step again',
    );
  if (state.stage === 'volumes') return (await step.poll?.check(task, given)) !== 'wait';
  if (elapsed > JOB_SECONDS * 1000) throw failed(task, state, `it did not end within ${JOB_SECONDS} s`);
  return jobsEnded(task, state, state.jobs);
}

const failed = (task: Task, { stage }: State, reason: string) =>
  jobFailed({ node: task.node.uuid, stage, reason });

async function jobsEnded(task: Task, state: State, jobs: readonly string[]): Promise<boolean> {
  const { isOver, mayReboot } = await converse(
    task,
    { operation: `Following the stage ${state.stage}`, length: LENGTH },
    async (bmc) => {
      const unended: { readonly path: string; readonly isWaiting: boolean }[] = [];
      for (const path of jobs) {
        const progress = await readTask(bmc, path);
        if (progress.kind === 'failed') throw failed(task, state, progress.reason);
        if (progress.kind === 'running' || progress.kind === 'waiting')
          unended.push({ path, isWaiting: progress.kind === 'waiting' });
      }
      const [first] = unended;
      if (first === undefined) return { isOver: true, mayReboot: false };
      // a machine is never reset while a job runs
      const waitsForBoot =
        unended.every(({ isWaiting }) => isWaiting) &&
        (state.stage === 'controllers' || (await needsReboot(bmc, first.path)));
      return { isOver: false, mayReboot: waitsForBoot };
    },
  );
  if (mayReboot && (state.reboot === null || (await isUnfinished(task, state.reboot))))
    await rebootOnce(task, state.intoRamdisk, (reboot) => stored.change(task, { reboot }));
  return isOver;
}

// The management interface `idrac-redfish`: extends `redfish` with steps that bring an iDRAC into a known state.
import { extendInterface, type JsonObject, type Step, type StepOutcome, type Task } from '#plugin-api';
import { converse, isSilent, storedState, textIn } from '#plugin-api/redfish';
import { callService } from './dell-services.ts';

const POLL_SECONDS = 10;
const RESET_SECONDS = 1200;
/** An iDRAC may go down late. If it has never stopped answering, it can count as restarted only this long after the request. */
const GONE_SECONDS = 240;
const ANSWERS = 3;

interface Reset extends JsonObject {
  /** Whether the iDRAC has stopped answering since the reset began, or GONE_SECONDS have passed. */
  readonly wasGone: boolean;
  /** How often in a row the iDRAC has answered since `wasGone` became true. */
  readonly answers: number;
  /** When the reset began, in milliseconds since the epoch. */
  readonly since: number;
}

const stored = storedState<Reset>('idrac_reset');

const clearJobs = (task: Task): Promise<unknown> =>
  converse(task, { operation: 'Clearing the job queue' }, (bmc) =>
    callService(bmc, task, {
      service: 'DellJobService',
      action: 'DeleteJobQueue',
      body: { JobID: 'JID_CLEARALL' },
    }),
  );

async function reset(task: Task): Promise<StepOutcome> {
  await stored.store(task, { wasGone: false, answers: 0, since: task.clock.now() });
  await converse(task, { operation: 'Resetting the iDRAC' }, (bmc) =>
    callService(bmc, task, {
      service: 'DelliDRACCardService',
      action: 'iDRACReset',
      body: { Force: 'Graceful' },
    }),
  );
  return 'wait';
}

/**
 * Whether the iDRAC has restarted: `wasGone` is true, the iDRAC has answered ANSWERS times in a row since then, and its Lifecycle
 * Controller is ready. Throws an Error when the iDRAC has not restarted RESET_SECONDS after the reset began.
 */
async function isBack(task: Task): Promise<boolean> {
  const state = stored.of(task);
  if (state === undefined) return true;
  const elapsed = task.clock.now() - state.since;
  if (elapsed > RESET_SECONDS * 1000) {
    await stored.remove(task);
    throw new Error(`the iDRAC was reset and is not ready after ${RESET_SECONDS} s`);
  }
  const isReady = await lifecycleReady(task);
  const wasGone = state.wasGone || isReady === undefined || elapsed > GONE_SECONDS * 1000;
  const answers = isReady === undefined ? 0 : state.answers + 1;
  if (wasGone && isReady === true && answers >= ANSWERS) {
    await stored.remove(task);
    return true;
  }
  await stored.change(task, { wasGone, answers: wasGone ? answers : 0 });
  return false;
}

/** Returns undefined while the iDRAC does not answer. */
async function lifecycleReady(task: Task): Promise<boolean | undefined> {
  try {
    const { body } = await converse(task, { operation: 'Reading the Lifecycle Controller' }, (bmc) =>
      callService(bmc, task, { service: 'DellLCService', action: 'GetRemoteServicesAPIStatus', body: {} }),
    );
    return textIn(body['LCStatus']) === 'Ready';
  } catch (error) {
    if (isSilent(error)) return undefined;
    throw error;
  }
}

const common = { priorities: { clean: 0, verify: 0 }, requiresRamdisk: false } as const;

const steps: Readonly<Record<string, Step>> = {
  clear_job_queue: {
    ...common,
    description: 'Deletes all jobs of the iDRAC.',
    destroys: 'the jobs of the iDRAC',
    async run(task) {
      await clearJobs(task);
      return 'done';
    },
  },
  reset_idrac: {
    ...common,
    description: 'Restarts the iDRAC and waits until it is ready.',
    run: reset,
    poll: {
      intervalSeconds: POLL_SECONDS,
      check: async (task) => ((await isBack(task)) ? 'done' : 'wait'),
    },
  },
  known_good_state: {
    ...common,
    description: 'Restarts the iDRAC, waits until it is ready, and deletes all of its jobs.',
    destroys: 'the jobs of the iDRAC',
    run: reset,
    poll: {
      intervalSeconds: POLL_SECONDS,
      async check(task) {
        if (!(await isBack(task))) return 'wait';
        await clearJobs(task);
        return 'done';
      },
    },
  },
};

export const idracManagement = extendInterface('management', 'redfish', (redfish) => ({
  ...redfish,
  steps: { ...redfish.steps, ...steps },
}));

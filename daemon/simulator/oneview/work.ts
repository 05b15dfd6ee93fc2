// The tasks of a simulated OneView appliance. A task begins at once, runs for a set time, and can change the appliance's state at
// its beginning and at its end.
import type { Clock } from '../../lib/clock.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ServedReply } from '../server.ts';
import type { TaskFault } from './faults.ts';
import { applianceError } from './refusals.ts';
import type { ApplianceState, ApplianceTask, ApplianceServer } from './state.ts';

export interface Job {
  readonly name: string;
  readonly owner: string;
  readonly seconds: number;
  readonly server?: ApplianceServer;
  /** If set, the task fails at once with this error code, and `begin` is not called. */
  readonly error?: string;
  readonly begin?: (task: ApplianceTask) => void;
  readonly end?: () => void;
  /**
   * Called when a task that has begun ends with an error, as a rule to undo `begin`. `leaves`: whether the profile that the task
   * has created stays, in the state Error.
   */
  readonly fail?: (leaves: boolean) => void;
}

export class ApplianceWork {
  readonly #state: ApplianceState;
  readonly #clock: Clock;
  #number = 0;

  constructor(state: ApplianceState, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
  }

  /** Begins the job and answers with its task. */
  start(job: Job, fault: TaskFault | undefined): ServedReply {
    this.#number += 1;
    const uri = `/rest/tasks/9F0C7A30-1111-4C3B-8E0A-${String(this.#number).padStart(12, '0')}`;
    const factor = fault?.kind === 'task slow' ? fault.factor : 1;
    const task: ApplianceTask = {
      uri,
      name: job.name,
      owner: job.owner,
      begunAt: this.#clock.monotonic(),
      milliseconds: job.seconds * 1000 * factor,
      end: undefined,
      errors: [],
      resource: null,
      isStuck: fault?.kind === 'task stuck',
      isLost: fault?.kind === 'task lost',
    };
    this.#state.tasks.set(uri, task);
    if (job.error !== undefined) fail(task, job.error);
    else this.#run(job, task, fault);
    return { status: 202, headers: { location: uri }, body: this.document(task) };
  }

  #run(job: Job, task: ApplianceTask, fault: TaskFault | undefined): void {
    if (job.server) job.server.lock = task.uri;
    job.begin?.(task);
    if (task.isStuck) return;
    this.#clock.after(task.milliseconds, () => {
      if (job.server) job.server.lock = undefined;
      if (fault?.kind === 'task error') return failed(job, task, fault.code, fault.leavesProfile === true);
      if (fault?.kind === 'claim during') return failed(job, task, 'ProfileAlreadyExistsInServer', false);
      job.end?.();
      task.end = fault?.kind === 'task warning' ? 'Warning' : 'Completed';
    });
  }

  document(task: ApplianceTask): JsonObject {
    const passed = (this.#clock.monotonic() - task.begunAt) / Math.max(task.milliseconds, 1);
    const percent = task.end === undefined ? Math.min(95, Math.floor(passed * 100)) : 100;
    const running = percent < 5 ? 'Starting' : 'Running';
    return {
      type: 'TaskResourceV2',
      category: 'tasks',
      uri: task.uri,
      name: task.name,
      taskState: task.end ?? running,
      taskStatus: `${task.name}: ${task.end ?? running}`,
      taskType: 'User',
      owner: task.owner,
      percentComplete: percent,
      computedPercentComplete: percent,
      expectedDuration: Math.ceil(task.milliseconds / 1000),
      associatedResource: {
        resourceName: null,
        resourceUri: task.end === 'Error' ? null : task.resource,
        resourceCategory: 'server-profiles',
        associationType: 'MANAGED_BY',
      },
      progressUpdates: [],
      taskErrors: task.errors,
      taskOutput: [],
      parentTaskUri: null,
      isCancellable: false,
      eTag: String(percent),
    };
  }
}

function fail(task: ApplianceTask, code: string): void {
  task.end = 'Error';
  task.errors = [applianceError(code, `The task ${task.name} failed: ${code}.`)];
}

function failed({ fail: undo }: Job, task: ApplianceTask, code: string, leaves: boolean): void {
  undo?.(leaves);
  fail(task, code);
}

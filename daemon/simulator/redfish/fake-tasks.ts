// Tasks of the simulated BMC: each ends after clients have polled it a number of times.
import type { JsonObject } from '../../model/json.ts';
import { type RedfishAnswer, notFound } from './answer.ts';
import { typeOf } from './resources/odata.ts';

export interface FakeTask {
  readonly number: number;
  /** The kind of work, as in `SimpleUpdate`. */
  readonly kind: string;
  polls: number;
  /** `beginsAtBoot`: the task begins when the machine boots. `waitsForBoot`: the machine has not booted since the request. */
  readonly beginsAtBoot: boolean;
  waitsForBoot: boolean;
  /** The TaskState and TaskStatus of the task at its end. */
  readonly end: readonly [string, string];
  readonly messages: readonly string[];
  readonly done: () => void;
  isOver: boolean;
}

/** The behaviour of tasks that begin from now on. */
export interface TaskHabits {
  polls: number;
  end: readonly [string, string];
  messages: readonly string[];
}

const ROOT = '/redfish/v1/TaskService/Tasks';

export class FakeTasks {
  readonly habits: TaskHabits = { polls: 3, end: ['Completed', 'OK'], messages: [] };
  /** Every task that was begun, in order, including those that have vanished. */
  readonly begun: FakeTask[] = [];
  readonly #tasks = new Map<string, FakeTask>();
  readonly #vanish: boolean;
  readonly #areJobs: boolean;

  /**
   * `vanish`: whether a task disappears when clients have read it twice after its end. `areJobs`: whether each task shows the type
   * of its job, as on an iDRAC.
   */
  constructor(vanish: boolean, areJobs: boolean) {
    this.#vanish = vanish;
    this.#areJobs = areJobs;
  }

  get paths(): readonly string[] {
    return [...this.#tasks.keys()];
  }

  begin(
    kind: string,
    beginsAtBoot: boolean,
    done: () => void,
  ): { readonly path: string; readonly task: FakeTask } {
    const number = this.begun.length + 1;
    const path = `${ROOT}/JID_${String(number).padStart(12, '0')}`;
    const task = {
      ...this.habits,
      number,
      kind,
      beginsAtBoot,
      waitsForBoot: beginsAtBoot,
      done,
      isOver: false,
    };
    this.#tasks.set(path, task);
    this.begun.push(task);
    return { path, task };
  }

  remove(path: string): void {
    this.#tasks.delete(path);
  }

  has(path: string): boolean {
    return this.#tasks.has(path);
  }

  /** Returns the task. Each call brings the task nearer to its end, unless the task still waits for a boot. */
  read(path: string): RedfishAnswer {
    const task = this.#tasks.get(path);
    if (task === undefined) throw notFound(path);
    if (task.isOver && this.#vanish) this.#tasks.delete(path);
    const isRunning = task.waitsForBoot || task.polls > 0;
    if (!task.waitsForBoot) task.polls -= 1;
    if (!isRunning) finish(task);
    const headers = { 'retry-after': '1', location: path };
    const body = { ...bodyOf(path, task), ...(this.#areJobs && jobOf(task)) };
    return { status: isRunning ? 202 : 200, body, ...(isRunning && { headers }) };
  }
}

function finish(task: FakeTask): void {
  if (!task.isOver && task.end[0] === 'Completed' && task.end[1] !== 'Critical') task.done();
  task.isOver = true;
}

const jobOf = ({ beginsAtBoot }: FakeTask): JsonObject => ({
  Oem: { Dell: { JobType: beginsAtBoot ? 'RAIDConfiguration' : 'RealTimeNoRebootConfiguration' } },
});

function bodyOf(path: string, { isOver, end, messages, waitsForBoot, kind }: FakeTask): JsonObject {
  const [state, status] = isOver ? end : [waitsForBoot ? 'Starting' : 'Running', 'OK'];
  return {
    '@odata.id': path,
    '@odata.type': typeOf('Task'),
    Id: path.slice(ROOT.length + 1),
    Name: kind,
    TaskState: state,
    TaskStatus: status,
    PercentComplete: isOver ? 100 : 50,
    Messages: isOver ? messages.map((text) => ({ MessageId: 'Base.1.8.Text', Message: text })) : [],
  };
}

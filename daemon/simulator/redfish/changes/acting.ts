// The parts of the simulated BMC that actions work on, the request for an action, and the answer to one that becomes a task.
import type { JsonObject } from '../../../model/json.ts';
import type { Answer } from '../answer.ts';
import type { FakeTasks } from '../fake-tasks.ts';
import type { FakeMachine } from '../machine.ts';
import type { Paths } from '../resources/paths.ts';

export interface Post {
  readonly path: string;
  readonly body: JsonObject;
  readonly text: string;
  readonly contentType: string;
  readonly hasBody: boolean;
}

export interface Acting {
  readonly machine: FakeMachine;
  readonly paths: Paths;
  readonly tasks: FakeTasks;
  /** Makes the BMC answer no request for this many seconds. */
  readonly fallSilent: (seconds: number) => void;
}

export const accepted = (path: string): Answer => ({
  status: 202,
  headers: { location: path },
  body: { '@odata.id': path, Id: path.slice(path.lastIndexOf('/') + 1), Name: 'Task', TaskState: 'New' },
});

/** The answer to a request that becomes a task; the task waits for the machine to boot. */
export function queued(machine: FakeMachine, { path, task }: ReturnType<FakeTasks['begin']>): Answer {
  machine.atBoot(() => (task.waitsForBoot = false));
  return accepted(path);
}

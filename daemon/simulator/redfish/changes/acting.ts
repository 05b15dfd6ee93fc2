// What an action of the simulated BMC gets: the request, and the parts of the BMC that it works on. Also the answers to requests
// that start a task.
import type { JsonObject } from '../../../model/json.ts';
import type { RedfishAnswer } from '../answer.ts';
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

export const acceptedTask = (path: string): RedfishAnswer => ({
  status: 202,
  headers: { location: path },
  body: { '@odata.id': path, Id: path.slice(path.lastIndexOf('/') + 1), Name: 'Task', TaskState: 'New' },
});

/** Returns the answer to a request that starts a task, and lets the task begin when the machine boots next. */
export function queued(machine: FakeMachine, { path, task }: ReturnType<FakeTasks['begin']>): RedfishAnswer {
  machine.atBoot(() => (task.waitsForBoot = false));
  return acceptedTask(path);
}

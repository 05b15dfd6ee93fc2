// A task on a node that exists in memory alone, which records what an interface did with it.
import { nodeFields } from '../../daemon/model/node.ts';
import type { Driver, Node, Task } from '#plugin-api';

export interface RecordedTask {
  readonly task: Task;
  /** One line for each thing that was done, in order. */
  readonly done: string[];
  readonly logged: string[];
}

export function inMemoryTask(
  options: {
    readonly node?: Partial<Node>;
    readonly driver?: Partial<Driver>;
    readonly configuration?: Task['configuration'];
    /** What `setPower` throws, by target. */
    readonly powerFailures?: Readonly<Record<string, Error>>;
  } = {},
): RecordedTask {
  const done: string[] = [];
  const logged: string[] = [];
  const log = (_: object, message = '') => void logged.push(message);
  const initial = Object.fromEntries(
    Object.entries(nodeFields).map(([name, { initial: value }]) => [name, value]),
  );
  let node = {
    ...initial,
    uuid: '1be26c0b-03f2-4d2e-ae87-c02d7f33c123',
    driver: 'test-type',
    ...options.node,
  } as Node;
  const { signal } = new AbortController();
  const task: Task = {
    get node() {
      return node;
    },
    ports: [],
    driver: options.driver as Driver,
    log: { debug: log, info: log, warn: log, error: log, child: () => task.log },
    signal,
    configuration: options.configuration ?? {},
    now: () => 0,
    async sleep(milliseconds) {
      done.push(`sleep ${milliseconds}`);
    },
    update(changes) {
      node = { ...node, ...changes };
      done.push('update');
    },
    addPorts(addresses) {
      done.push(`add ports ${addresses.join(' ')}`);
    },
    async setPower(target) {
      done.push(`set ${target}`);
      const failure = options.powerFailures?.[target];
      if (failure !== undefined) throw failure;
    },
    withBmc: (_address, _options, operation) => operation(signal),
  };
  return { task, done, logged };
}

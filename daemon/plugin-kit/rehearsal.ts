// "#plugin-api/rehearsal": a task in memory for a plugin's tests. Sleeping takes no time, and nothing is stored.
import { fault } from '../model/faults.ts';
import { initialNode, type Node } from '../model/records/node.ts';
import type { Agent } from '../plugin-api/agent.ts';
import type { BmcConversation, BmcOptions } from '../plugin-api/bmc.ts';
import { isRow, type TaskRows, taskRows } from '../plugin-api/contract/task.ts';
import type { Driver } from '../plugin-api/driver.ts';
import type { PreparedImage } from '../plugin-api/images.ts';
import { defineInterface, type DriverInterface } from '../plugin-api/interfaces/driver-interface.ts';
import { defineInspect } from '../plugin-api/interfaces/inspect.ts';
import { defineManagement } from '../plugin-api/interfaces/management.ts';
import { definePower } from '../plugin-api/interfaces/power.ts';
import type { Configuration, Task, TaskClock } from '../plugin-api/task.ts';

export interface Rehearsal extends Task {
  /** What the task was asked to do or change, in order: `update health`, `set power on`, `add ports ...`. */
  readonly done: readonly string[];
  /** Aborts the task, as stopping the daemon does. */
  abort(reason: Error): void;
}

export interface RehearsalOptions {
  readonly node?: Partial<Node>;
  readonly configuration?: Configuration;
  /** Interfaces of the node. Each type that is left out gets a stand-in, which accepts every node and changes nothing. */
  readonly driver?: Partial<Driver>;
  /** Makes `bmc` throw BmcFailure without calling `converse`. */
  readonly bmcsAreSilent?: true;
}

export function rehearsalTask(options: RehearsalOptions = {}): Rehearsal {
  const stop = new AbortController();
  const done: string[] = [];
  const { configuration = {}, driver, bmcsAreSilent } = options;
  const task = standIn(taskRows, done) as Task;
  let node = initialNode({ driver: 'rehearsal', ...options.node });
  let prepared: PreparedImage | null = null;
  return {
    ...task,
    done,
    get node() {
      return node;
    },
    driver: { ...standIns, ...driver },
    log: silentLog(),
    signal: stop.signal,
    configuration,
    clock: quickClock(stop.signal),
    ramdisk: { ...task.ramdisk, agent: silentAgent(() => node) },
    images: {
      ...task.images,
      get prepared() {
        return prepared;
      },
      prepare: async (image) => (prepared = await task.images.prepare(image)),
    },
    async update(changes) {
      await task.update(changes);
      node = { ...node, ...changes };
    },
    async setMaintenance(reason) {
      await task.setMaintenance(reason);
      node = { ...node, maintenance: true, maintenance_reason: reason };
    },
    async clearMaintenance() {
      await task.clearMaintenance();
      node = { ...node, maintenance: false, maintenance_reason: null, fault: null };
    },
    bmc: rehearsedBmc(() => node, stop.signal, bmcsAreSilent === true),
    abort: (reason) => stop.abort(reason),
  };
}

/** An object whose values are the samples of the rows, and whose functions note what they do. */
function standIn(rows: TaskRows, done: string[]): object {
  const members = Object.entries(rows).map(([name, row]): [string, unknown] => {
    if (!isRow(row)) return [name, standIn(row, done)];
    if (row.kind !== 'call') return [name, row.kind === 'value' ? structuredClone(row.sample) : undefined];
    const does = row.does as ((...given: readonly unknown[]) => string) | undefined;
    const run = async (...given: readonly unknown[]) => {
      if (does !== undefined) done.push(does(...given));
      return structuredClone(row.sample);
    };
    return [name, run];
  });
  return Object.fromEntries(members);
}

/** A state is kept for one conversation only: plugins must not rely on more. */
const rehearsedBmc =
  (node: () => Node, stopping: AbortSignal, isSilent: boolean): Task['bmc'] =>
  async <T, State>(
    address: string,
    { deadline, state: kind }: BmcOptions<State>,
    converse: (conversation: BmcConversation<State>) => Promise<T>,
  ) => {
    stopping.throwIfAborted();
    if (isSilent)
      throw fault('BmcFailure', {
        operation: 'A rehearsal',
        node: node().uuid,
        address,
        reason: 'no BMC answers',
      });
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(deadline)]);
    const state = (await kind?.create(signal)) as State;
    try {
      return await converse({ signal, state });
    } finally {
      await kind?.dispose?.(state, signal);
    }
  };

/** The clock of a rehearsal: its timers run in real time, but `sleep` resolves at once. */
function quickClock(signal: AbortSignal): TaskClock {
  const begun = Date.now();
  let slept = 0;
  return {
    now: () => begun + slept,
    monotonic: () => slept,
    async sleep(milliseconds) {
      signal.throwIfAborted();
      slept += milliseconds;
      await new Promise(setImmediate);
      signal.throwIfAborted();
    },
    after(milliseconds, action) {
      const timer = setTimeout(action, milliseconds).unref();
      return () => clearTimeout(timer);
    },
  };
}

/** No command reaches this agent: a rehearsed machine never runs a ramdisk. */
function silentAgent(node: () => Node): Agent {
  const silent = async (): Promise<never> => {
    throw fault('AgentUnreachable', {
      node: node().uuid,
      url: 'no address',
      reason: 'no ramdisk has sent a heartbeat',
    });
  };
  const names = Object.keys(taskRows.ramdisk.agent);
  return Object.fromEntries(names.map((name) => [name, silent])) as unknown as Agent;
}

const silentLog = (): Task['log'] => ({ debug() {}, info() {}, warn() {}, error() {}, child: silentLog });

const base: DriverInterface = { properties: {}, validate() {} };
const plain = defineInterface(base);

const standIns: Driver = {
  bios: plain,
  boot: plain,
  console: plain,
  deploy: plain,
  firmware: plain,
  inspect: defineInspect({ ...base, inspectHardware: async () => 'manageable' }),
  management: defineManagement({
    ...base,
    supportedBootDevices: async () => ['pxe', 'disk'],
    getBootDevice: async () => ({ boot_device: null, persistent: null }),
    async setBootDevice() {},
  }),
  network: plain,
  power: definePower({
    ...base,
    supportedTargets: ['power on', 'power off', 'rebooting'],
    supportsPowerSync: true,
    getPowerState: async (task) => task.node.power_state,
    async setPowerState() {},
  }),
  raid: plain,
  rescue: plain,
  storage: plain,
  vendor: plain,
};

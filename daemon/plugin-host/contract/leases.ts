// What plugin code gets of a task for one call: the members that #plugin-api promises, and no access to the objects
// behind them. A plugin in plain JavaScript can read every property of the objects that it is given, whatever their
// type says.
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '../../lib/logger.ts';
import { ownSignal } from '../../lib/own-signal.ts';
import type {
  Agent,
  BmcConversation,
  BmcOptions,
  BootServices,
  Dhcp,
  DriverChanges,
  DriverContext,
  DriverInterface,
  Images,
  JsonObject,
  Ramdisk,
  Task,
  TaskClock,
} from '../../plugin-api/index.ts';

/** The kinds of an object's members: functions, data, and objects with members of their own. */
export interface AnyMembers {
  readonly [name: string]: 'function' | 'data' | AnyMembers;
}
/** The compiler refuses a table that lacks a member of T. */
type Members<T> = {
  readonly [K in keyof T]-?: T[K] extends (...rest: never[]) => unknown ? 'function' : 'data' | AnyMembers;
};

const agent: Members<Agent> = {
  start: 'function',
  run: 'function',
  end: 'function',
  commands: 'function',
  startStep: 'function',
  getSteps: 'function',
};
const dhcp: Members<Dhcp> = { update: 'function', clean: 'function', ipAddresses: 'function' };
const boot: Members<BootServices> = {
  obstacle: 'data',
  dhcp,
  serve: 'function',
  serveCd: 'function',
  withdraw: 'function',
};
const images: Members<Images> = {
  prepared: 'data',
  prepare: 'function',
  inspect: 'function',
  copyForStep: 'function',
};
const clock: Members<TaskClock> = {
  now: 'function',
  monotonic: 'function',
  sleep: 'function',
  after: 'function',
};
const log: Members<Logger> = {
  debug: 'function',
  info: 'function',
  warn: 'function',
  error: 'function',
  child: 'function',
};
const ramdisk: Members<Ramdisk> = {
  agent,
  parameters: 'data',
  isAlive: 'data',
  isRunning: 'data',
  staysRunning: 'data',
  saveLogs: 'function',
};
const task: Members<Omit<Task, 'clock' | 'signal' | 'update' | 'bmc'>> = {
  node: 'data',
  ports: 'data',
  driver: 'data',
  configuration: 'data',
  log,
  ramdisk,
  boot,
  configDrive: { check: 'function', image: 'function' },
  images,
  setMaintenance: 'function',
  clearMaintenance: 'function',
  addNote: 'function',
  requestProvision: 'function',
  renewEventUrl: 'function',
  addPorts: 'function',
  setPower: 'function',
};

/**
 * The members of a task that a plugin in a process of its own gets from the daemon. The process makes the other members itself.
 */
export const hostMembers: AnyMembers = { ...task, update: 'function' };

/** The interface whose code gets the task. */
export interface Tenant {
  readonly plugin: string;
  /** The `driver_info` fields that the interface declares, by name. */
  readonly properties: DriverInterface['properties'];
}

const never = new AbortController().signal;

export interface Lease {
  readonly task: Task;
  /** Aborts the task's signal, and makes every member but `signal` and `clock` throw. */
  end(): void;
}

interface Original {
  readonly context: DriverContext;
  readonly over: AbortSignal;
}

/** Leases tasks to plugin code. */
export class Leases {
  // A plugin that calls another plugin's interface passes the task of its own lease. The inner call gets a new lease of the
  // original task. The new lease ends when either call ends.
  readonly #originals = new WeakMap<object, Original>();

  /** When `given` is a DriverContext without the members of a task, the task of the lease lacks them too. */
  lease(given: DriverContext, tenant: Tenant): Lease {
    const outer = this.#originals.get(given);
    const context = outer?.context ?? given;
    const ending = new AbortController();
    const over = outer === undefined ? ending.signal : AbortSignal.any([ending.signal, outer.over]);
    let signal: AbortSignal | undefined;
    const leased = closed(context, task, over, {
      // the clock also works after the call, for what a plugin keeps for a BMC, such as an HTTP client
      clock: { enumerable: true, get: () => closed(context.clock, clock, never) },
      signal: { enumerable: true, get: () => (signal ??= ownSignal(context.signal, over)) },
      ...('node' in context && ofTenant(context as Task, tenant, over)),
    }) as Task;
    this.#originals.set(leased, { context, over });
    return { task: leased, end: () => ending.abort(new Error('the operation is over')) };
  }
}

const ofTenant = (given: Task, { plugin, properties }: Tenant, over: AbortSignal): PropertyDescriptorMap => ({
  bmc: { enumerable: true, value: leasedBmc(given, plugin, over) },
  update: {
    enumerable: true,
    value: async (changes: DriverChanges) => {
      over.throwIfAborted();
      refuseUndeclared(given.node.driver_info, changes.driver_info, properties);
      return given.update(changes);
    },
  },
});

/** Throws when the update changes a field of `driver_info` that the interface does not declare. */
function refuseUndeclared(
  before: JsonObject,
  after: JsonObject = before,
  properties: DriverInterface['properties'],
): void {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
  const undeclared = changed.find((name) => !Object.hasOwn(properties, name));
  if (undeclared === undefined) return;
  throw new Error(
    `task.update cannot change driver_info/${undeclared}, which the interface's properties do not declare`,
  );
}

/**
 * Returns the `bmc` function of a leased task. The state that a plugin keeps for a BMC is separate from that of other plugins. The
 * state's functions `create` and `dispose` may run after the call that passed them has ended.
 */
const leasedBmc =
  (given: Task, plugin: string, over: AbortSignal): Task['bmc'] =>
  async <T, State>(
    address: string,
    options: BmcOptions<State>,
    converse: (conversation: BmcConversation<State>) => Promise<T>,
  ) => {
    over.throwIfAborted();
    const { state } = options;
    const own = state && {
      key: JSON.stringify([plugin, state.key]),
      create: (signal: AbortSignal) => state.create(ownSignal(signal)),
      dispose: async (kept: State, signal: AbortSignal) => state.dispose?.(kept, ownSignal(signal)),
    };
    return given.bmc(address, { ...options, ...(own && { state: own }) }, (conversation) =>
      converse(Object.freeze({ ...conversation, signal: ownSignal(conversation.signal, over) })),
    );
  };

function closed(
  given: object,
  members: AnyMembers,
  over: AbortSignal,
  own: PropertyDescriptorMap = {},
): object {
  const read = (name: string): unknown => {
    over.throwIfAborted();
    return Reflect.get(given, name);
  };
  const descriptors = Object.entries(members)
    .filter(([name]) => name in given)
    .map(([name, kind]): [string, PropertyDescriptor] => {
      if (kind === 'data') return [name, { enumerable: true, get: () => read(name) }];
      if (kind !== 'function')
        return [name, { enumerable: true, get: () => closed(read(name) as object, kind, over) }];
      // the function does not use `this`, so that a plugin may take it out of the object
      const value = (...rest: readonly unknown[]) =>
        Reflect.apply(read(name) as (...all: readonly unknown[]) => unknown, given, rest);
      return [name, { enumerable: true, value: Object.freeze(value) }];
    });
  return Object.freeze(Object.defineProperties({}, { ...Object.fromEntries(descriptors), ...own }));
}

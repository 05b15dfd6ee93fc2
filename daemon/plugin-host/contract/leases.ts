// What plugin code gets of a task for one call: the members that #plugin-api promises, and no access to the objects
// behind them. A plugin in plain JavaScript can read every property of the objects that it is given, whatever their
// type says.
import { isDeepStrictEqual } from 'node:util';
import { ownSignal } from '../../lib/abort-signals.ts';
import { isRow, type TaskRow, type TaskRows, taskRows } from '../../plugin-api/contract/task.ts';
import type {
  BmcConversation,
  BmcOptions,
  DriverChanges,
  DriverContext,
  DriverInterface,
  JsonObject,
  Task,
} from '../../plugin-api/index.ts';

/** The interface whose code gets the task. */
export interface Tenant {
  readonly plugin: string;
  /** The `driver_info` fields that the interface declares, by name. */
  readonly properties: DriverInterface['properties'];
}

/** The members of an object: each has its name and its row, or its own members. */
type Members = readonly (readonly [name: string, of: TaskRow | { readonly members: Members }])[];

const membersOf = (rows: TaskRows): Members =>
  Object.entries(rows).map(([name, row]) => [name, isRow(row) ? row : { members: membersOf(row) }]);

const ofTask = membersOf(taskRows);
const ofClock = membersOf(taskRows.clock);
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
    const leased = closed(context, ofTask, over, {
      // the clock also works after the call, for what a plugin keeps for a BMC, such as an HTTP client
      clock: { enumerable: true, get: () => closed(context.clock, ofClock, never) },
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

function closed(given: object, members: Members, over: AbortSignal, own: PropertyDescriptorMap = {}): object {
  const read = (name: string): unknown => {
    over.throwIfAborted();
    return Reflect.get(given, name);
  };
  const descriptors = members
    .filter(([name]) => name in given)
    .map(([name, row]): [string, PropertyDescriptor] => {
      if ('members' in row)
        return [name, { enumerable: true, get: () => closed(read(name) as object, row.members, over) }];
      if (row.kind === 'value') return [name, { enumerable: true, get: () => read(name) }];
      // the function does not use `this`, so that a plugin may take it out of the object
      const value = (...rest: readonly unknown[]) =>
        Reflect.apply(read(name) as (...all: readonly unknown[]) => unknown, given, rest);
      return [name, { enumerable: true, value: Object.freeze(value) }];
    });
  return Object.freeze(Object.defineProperties({}, { ...Object.fromEntries(descriptors), ...own }));
}

// Calls one operation of an interface on a node that exists only in a file. The machine that the node names is real.
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { JsonObject } from '../../model/json.ts';
import { interfaceField, interfaceTypes } from '../../model/machine/interface-types.ts';
import { rehearsalTask } from '../rehearsal.ts';
import type { Task } from '../../plugin-api/task.ts';
import { readConfig } from '../../config/read-config.ts';
import { type ConfigRequest, findPlugins } from '../../plugin-host/configured-plugins.ts';
import { Leases } from '../../plugin-host/contract/leases.ts';
import { declaredTypes } from '../../plugin-host/enabled-types.ts';
import { memberAt } from '../../plugin-host/isolation/border/described.ts';
import { PluginProcesses } from '../../plugin-host/isolation/plugin-processes.ts';
import { loadInterface } from '../../plugin-host/load-interface.ts';
import { admitPlugins, pluginSections } from '../../plugin-host/manifests/admit-plugins.ts';
import { readPlugin } from '../../plugin-host/manifests/discover.ts';
import { createEntryPoints } from '../../plugin-host/manifests/entry-points.ts';
import { expandSupported } from '../../plugin-host/manifests/hardware-types.ts';
import { resolvePluginApi } from '../../plugin-host/resolve-plugin-api.ts';

/** The UUID of a node that no daemon has. */
const UNKNOWN_UUID = '00000000-0000-0000-0000-000000000000';

export interface Tried {
  /** The folder of a plugin, which need not be in a directory of [plugins] path. */
  readonly folder: string;
  /** The fields of the node that the operation reads. */
  readonly node: JsonObject & { readonly driver: string };
  /** A name such as `power.getPowerState` or `vendor.nodeMethods.event_log.call`. */
  readonly operation: string;
  /** The arguments after the task. */
  readonly given: readonly unknown[];
}

export interface Outcome {
  readonly result: unknown;
  /** The changes that the operation made through the task. */
  readonly done: readonly string[];
}

/** Rejects with what the operation throws, or with an Error that says what is wrong with the request. */
export async function tryOperation(
  { folder, node, operation, given }: Tried,
  request: ConfigRequest,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<Outcome> {
  resolvePluginApi();
  const plugin = readPlugin(folder);
  const others = findPlugins(request).plugins.filter(
    ({ manifest }) => manifest.name !== plugin.manifest.name,
  );
  const discovery = admitPlugins([...others, plugin]);
  const { config, values } = readConfig({ ...request, sections: pluginSections(discovery.plugins) });
  const { memory_limit: memoryMebibytes, operation_timeout: timeoutSeconds } = config.plugins;
  const processes = new PluginProcesses({ configuration: values, memoryMebibytes, clock, log });
  // the timers of the task's clock do not keep this process alive
  const alive = setInterval(() => undefined, 1000);
  try {
    const [type, ...place] = operation.split('.');
    const kind = interfaceTypes.find((one) => one === type);
    if (kind === undefined || place.length === 0)
      throw new Error(
        `expected an operation such as power.getPowerState; interface types are ${interfaceTypes.join(', ')}`,
      );
    const chosen = node[interfaceField(kind)];
    const [preferred = 'none'] = expandSupported(node.driver, declaredTypes(discovery))[kind];
    const name = typeof chosen === 'string' ? chosen : preferred;
    const by = { clock, timeoutSeconds, leases: new Leases() };
    const wanted = { type: kind, name, asked: `hardware type ${node.driver}` };
    const loaded = await loadInterface(createEntryPoints(discovery, processes), wanted, by);
    const run = memberAt(loaded, place);
    if (typeof run !== 'function')
      throw new Error(
        `the ${kind} interface ${name} has no operation ${place.join('.')}; it has ${operationsIn(loaded).join(', ')}`,
      );
    const task = rehearsalTask({ node: { uuid: UNKNOWN_UUID, ...node }, configuration: values });
    Object.defineProperty(task, 'clock', { value: realClock(clock, task.signal) });
    const result: unknown = await Reflect.apply(run, memberAt(loaded, place.slice(0, -1)), [
      task,
      ...argumentsFor(place, given),
    ]);
    return { result, done: task.done };
  } finally {
    clearInterval(alive);
    await processes.close();
  }
}

/** A clock that really sleeps. The `sleep` of a rehearsal returns at once, which is too early for a real machine. */
const realClock = (clock: Clock, signal: AbortSignal): Task['clock'] => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  after: (milliseconds, action) => clock.after(milliseconds, action),
  sleep: (milliseconds) => sleep(clock, milliseconds, signal),
});

/** Returns the arguments after the task: the given ones, or an empty object for a step or a vendor method that is given none. */
const argumentsFor = (place: readonly string[], given: readonly unknown[]): readonly unknown[] =>
  place.length > 1 && given.length === 0 ? [{}] : given;

/** Returns names such as `getPowerState` and `steps.clear_event_log.run`. */
const operationsIn = (holder: object): readonly string[] =>
  Object.entries(holder).flatMap(([name, member]: [string, unknown]) => {
    if (typeof member === 'function') return [name];
    return typeof member === 'object' && member !== null
      ? operationsIn(member).map((inner) => `${name}.${inner}`)
      : [];
  });

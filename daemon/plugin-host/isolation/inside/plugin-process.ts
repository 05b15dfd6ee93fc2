// The process of one plugin: loads its code, and calls it when the daemon asks over the socket that it was started with.
import { Socket } from 'node:net';
import { systemClock } from '../../../lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import type { Configuration, DriverInterface, Extension, InspectionHook } from '../../../plugin-api/index.ts';
import { Leases } from '../../contract/leases.ts';
import type { HookPhase } from '../../hook-phases.ts';
import { importPlugin } from '../../import-plugin.ts';
import { resolvePluginApi } from '../../resolve-plugin-api.ts';
import { packed, unpacked } from '../border/bytes.ts';
import { described, memberAt, type Place, rebuilt } from '../border/described.ts';
import { type Asked, type Cargo, Peer } from '../border/peer.ts';
import { runHook } from './run-hook.ts';
import { Conversations } from './conversations.ts';
import { beKilledFirst } from './be-killed-first.ts';
import { type Ask, RemoteDrivers } from './remote-drivers.ts';
import { type RemoteCall, remoteTask } from './remote-task.ts';

/** The descriptor of the socket to the daemon, which `startPluginProcess` passes. */
const BORDER_DESCRIPTOR = 3;

/** The first message of the daemon. */
interface Begin {
  /** The name of the plugin. */
  readonly begin: string;
  readonly configuration: Configuration;
}

/** The message with which the daemon asks to load an object: the URL of its file, and its name in that file. */
interface Load {
  readonly load: string;
  readonly exported: string;
}

/** The message with which the daemon asks to make an interface from `base`; `make`: the number of the entry that extends it. */
interface Make {
  readonly make: number;
  readonly base: JsonObject;
}

/** The message with which the daemon asks to run a hook on the draft in the message's bytes; `hook`: the number of its entry. */
interface RunHook {
  readonly hook: number;
  readonly phase: HookPhase;
}

/** The message with which the daemon asks to call a function. */
interface Call extends Omit<RemoteCall, 'signal'> {
  readonly entry: number;
  readonly place: Place;
  readonly given: readonly unknown[];
  readonly bytesAt?: string;
  /** The description of the node's driver: in the first call with this driver, and again when this process may have dropped it. */
  readonly description?: JsonObject;
}

class PluginProcess {
  readonly #peer: Peer;
  readonly #conversations = new Conversations();
  readonly #drivers: RemoteDrivers;
  readonly #leases = new Leases();
  readonly #entries: object[] = [];
  /** By task: how to ask the daemon on behalf of the task. */
  readonly #asks = new WeakMap<object, Ask>();
  #plugin = '';
  #configuration: Configuration = {};

  constructor(socket: Socket) {
    this.#peer = new Peer(socket, {
      clock: systemClock,
      is: 'plugin',
      answer: (asked) => this.#answer(asked),
      // the daemon has ended
      lost: () => process.exit(),
    });
    this.#drivers = new RemoteDrivers(this.#peer.errors);
    for (const event of ['uncaughtException', 'unhandledRejection'])
      process.on(event, (error: unknown) => this.#peer.tell({ stray: this.#peer.errors.encoded(error) }));
  }

  async #answer({ value, bytes, signal }: Asked): Promise<Cargo> {
    if ('begin' in value) return this.#begin(value as unknown as Begin);
    if ('load' in value) return this.#load(value as unknown as Load);
    if ('make' in value) return this.#make(value as unknown as Make);
    if ('check' in value) return this.#checkConfiguration(Number(value['check']));
    if ('phase' in value) return this.#runHook(value as unknown as RunHook, bytes);
    if ('place' in value) return this.#call(value as unknown as Call, bytes, signal);
    return 'ping' in value ? { value: null } : this.#conversations.answer(value, signal);
  }

  #begin({ begin, configuration }: Begin): Cargo {
    this.#plugin = begin;
    this.#configuration = configuration;
    return { value: null };
  }

  async #load({ load: url, exported }: Load): Promise<Cargo> {
    const value = (await importPlugin(url))[exported];
    return typeof value === 'object' && value !== null ? this.#entry(value) : { value: null };
  }

  #entry(value: object): Cargo {
    this.#entries.push(value);
    return { value: { entry: this.#entries.length - 1, described: described(value) } };
  }

  async #checkConfiguration(hook: number): Promise<Cargo> {
    await (this.#entries[hook] as InspectionHook).checkConfiguration?.(this.#configuration);
    return { value: null };
  }

  /** The functions of the base run in the daemon, with the task that the extension was given. */
  #make({ make: extension, base }: Make): Cargo {
    const remote = rebuilt(base, (place) => async (task, ...given) => {
      const ask = this.#asks.get(task as object);
      if (ask === undefined)
        throw new Error(`${place.join('.')} was not called with the task of the operation`);
      return ask(['base', String(extension), ...place], ...given);
    });
    return this.#entry((this.#entries[extension] as Extension).make(remote as DriverInterface));
  }

  #runHook({ hook, phase }: RunHook, draft: Uint8Array = new Uint8Array()): Cargo {
    const wanted = { hook: this.#entries[hook] as InspectionHook, phase, configuration: this.#configuration };
    return { value: null, bytes: runHook(wanted, draft) };
  }

  async #call(call: Call, bytes: Uint8Array | undefined, signal: AbortSignal): Promise<Cargo> {
    const { entry, place, given, bytesAt, id, snapshot, driver, description } = call;
    if (driver !== undefined && isJsonObject(description)) this.#drivers.learn(driver, description);
    const root = this.#entries[entry] ?? {};
    const owner = memberAt(root, place.slice(0, -1));
    const run = (owner as Readonly<Record<string, unknown>>)[place.at(-1) ?? ''];
    if (typeof run !== 'function') throw new Error(`${place.join('.')} is no longer a function`);
    const { properties = {} } = (
      place.length > 1 && 'properties' in root ? root : owner
    ) as Partial<DriverInterface>;
    const { task, ask } = remoteTask(
      { id, snapshot, driver, signal },
      {
        peer: this.#peer,
        configuration: this.#configuration,
        conversations: this.#conversations,
        drivers: this.#drivers,
      },
    );
    const lease = this.#leases.lease(task, { plugin: this.#plugin, properties });
    this.#asks.set(lease.task, ask);
    try {
      const handed = unpacked({ value: given, bytes }, bytesAt) as readonly unknown[];
      const result: unknown = await Reflect.apply(run, owner, [lease.task, ...handed]);
      const { value, bytes: ofResult, at } = packed(result);
      return { value: { result: value, bytesAt: at }, bytes: ofResult };
    } finally {
      lease.end();
    }
  }
}

beKilledFirst();
resolvePluginApi();
const plugin = new PluginProcess(new Socket({ fd: BORDER_DESCRIPTOR }));
Object.freeze(plugin);

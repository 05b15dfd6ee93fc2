// A call of a plugin's function while it runs in the plugin's process: serves what the function asks of its task.
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { BmcOptions, DriverContext, Task } from '../../plugin-api/index.ts';
import { describeValue } from '../../plugin-api/contract/shapes.ts';
import { isRow, type TaskRow, type TaskRows, taskRows } from '../../plugin-api/contract/task.ts';
import { isPlace, memberAt, type Place } from './border/described.ts';
import type { Peer } from './border/peer.ts';
import { MOST_LOG_LINES, type Snapshot } from './inside/remote-task.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const LONGEST_MESSAGE = 4096;

/** The process that runs the function. */
interface ProcessOfCall {
  readonly peer: Peer;
  /** Distinguishes the states that this process keeps for BMCs from those of an earlier process, which are lost. */
  readonly life: number;
  /** The base interfaces, by the number of the entry that extends each: `LoadedEntry.entry`. */
  readonly bases: Readonly<Record<number, object>>;
}

export class CallSession {
  readonly #context: DriverContext;
  readonly #process: ProcessOfCall;
  #node: unknown;
  #others = '';
  #lines = 0;

  constructor(context: DriverContext, process: ProcessOfCall) {
    this.#context = context;
    this.#process = process;
  }

  /**
   * Returns the values of the task's members; undefined when they are the same as in the last snapshot, and for a context that is
   * not a task.
   */
  snapshot(): Snapshot | undefined {
    if (!isTask(this.#context)) return undefined;
    const { node } = this.#context;
    const others = valuesOf(this.#context, otherValues);
    const text = JSON.stringify(others);
    if (node === this.#node && text === this.#others) return undefined;
    this.#node = node;
    this.#others = text;
    return { ...others, node };
  }

  /**
   * Calls a function of the task, of its driver or of a base interface. Throws what the function throws, or an Error if there is
   * no such function.
   */
  async serve({ place, given }: JsonObject): Promise<JsonObject> {
    if (!isPlace(place) || !Array.isArray(given) || !isTask(this.#context))
      throw new Error('the process of the plugin asked for something that a task does not have');
    const result = await this.#run(this.#context, place, given as readonly unknown[]);
    return { result, snapshot: this.snapshot() } as unknown as JsonObject;
  }

  /** Writes a line of the function's log. */
  log({ log, fields, message }: JsonObject): void {
    this.#lines += 1;
    const level = LEVELS.find((one) => one === log);
    if (level === undefined || !isJsonObject(fields) || this.#lines > MOST_LOG_LINES) return;
    const text = typeof message === 'string' ? message.slice(0, LONGEST_MESSAGE) : undefined;
    this.#context.log[level](fields, text);
    if (this.#lines === MOST_LOG_LINES)
      this.#context.log.warn({}, 'more lines of this operation are not logged');
  }

  async #run(task: Task, place: Place, given: readonly unknown[]): Promise<unknown> {
    const [first] = place;
    if (first === 'bmc') return this.#converse(task, given);
    if (first === 'driver') return ofOther(task, task.driver, place.slice(1), given);
    if (first === 'base') return ofOther(task, this.#process.bases, place.slice(1), given);
    refuseUnfitArguments(place, given);
    return functionAt(task, place)(...given);
  }

  async #converse(task: Task, given: readonly unknown[]): Promise<null> {
    refuseUnfitArguments(['bmc'], given);
    const [address, { id, stateKey, ...rest }] = given as [string, HeldConversation];
    const options: BmcOptions<number> = {
      ...rest,
      ...(stateKey !== undefined && { state: this.#stateKind(id, stateKey) }),
    };
    await task.bmc(address, options, ({ signal, state }) =>
      this.#process.peer.ask({ value: { converse: id, state } }, signal),
    );
    return null;
  }

  /** Returns the option `state` for `task.bmc`. The state stays in the plugin's process; the daemon knows it by a number. */
  #stateKind(conversation: number, key: string): NonNullable<BmcOptions<number>['state']> {
    const { peer, life } = this.#process;
    return {
      key: `${life} ${key}`,
      async create(signal) {
        return Number((await peer.ask({ value: { create: conversation } }, signal)).value);
      },
      async dispose(state, signal) {
        await peer.ask({ value: { dispose: state } }, signal);
      },
    };
  }
}

interface HeldConversation extends Omit<BmcOptions, 'state'> {
  readonly id: number;
  readonly stateKey?: string;
}

const isTask = (context: DriverContext): context is Task => 'node' in context;

/** The rows without functions, and without objects that have only functions. */
const valuesIn = (rows: TaskRows): TaskRows =>
  Object.fromEntries(
    Object.entries(rows).flatMap(([name, row]): [string, TaskRow | TaskRows][] => {
      if (isRow(row)) return row.kind === 'value' ? [[name, row]] : [];
      const inner = valuesIn(row);
      return Object.keys(inner).length === 0 ? [] : [[name, inner]];
    }),
  );

// the node is compared separately; configuration, driver and signal are sent apart from the snapshot
const { node: _node, driver: _driver, configuration: _configuration, signal: _signal, ...others } = taskRows;
const otherValues = valuesIn(others);

function valuesOf(owner: object, rows: TaskRows): object {
  return Object.fromEntries(
    Object.entries(rows).map(([name, row]) => {
      const value: unknown = Reflect.get(owner, name);
      return [name, isRow(row) ? value : valuesOf(value as object, row)];
    }),
  );
}

/** Calls, with the same task, the function at `place` in `owner`, an object whose members are interfaces. */
async function ofOther(task: Task, owner: object, place: Place, given: readonly unknown[]): Promise<unknown> {
  const run = memberAt(owner, place);
  if (typeof run !== 'function') throw new Error(`there is no function ${place.join('.')}`);
  return Reflect.apply(run, memberAt(owner, place.slice(0, -1)), [task, ...given]) as unknown;
}

/** Throws a TypeError for arguments that do not fit, and an Error for a function that no task has. */
export function refuseUnfitArguments(place: Place, given: readonly unknown[]): void {
  const row = memberAt(taskRows, place) as TaskRow | undefined;
  if (row === undefined || !isRow(row) || row.kind !== 'call')
    throw new Error(`a task has no function ${place.join('.')}`);
  const at = row.given.findIndex((shape, index) => !shape.admits(given[index]));
  if (at < 0) return;
  throw new TypeError(
    `task.${place.join('.')} was called with ${describeValue(given[at])}; expected ${row.given[at]?.expected}`,
  );
}

/** Returns the function at `place` in the task. Call `refuseUnfitArguments` first: it refuses a place without such a function. */
function functionAt(task: Task, place: Place): (...given: readonly unknown[]) => unknown {
  let owner: unknown = task;
  for (const name of place) owner = (owner as Readonly<Record<string, unknown>>)[name];
  return owner as (...given: readonly unknown[]) => unknown;
}

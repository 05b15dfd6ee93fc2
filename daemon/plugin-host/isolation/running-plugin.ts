// A running process of a plugin: calls functions in it, and detects its end, whatever the cause.
import type { Clock } from '../../lib/clock.ts';
import { OwnTimeMeter, readThread, sumOf, whenOwnTime } from '../../lib/limits/own-time.ts';
import type { Logger } from '../../lib/logger.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { Configuration, Driver, DriverContext, Task } from '../../plugin-api/index.ts';
import { interfaceTypes } from '../../model/machine/interface-types.ts';
import type { HookPhase } from '../hook-phases.ts';
import { packed, unpacked } from './border/bytes.ts';
import { described, type Place } from './border/described.ts';
import type { Credits } from './border/credit.ts';
import { type Asked, type Cargo, Peer } from './border/peer.ts';
import { CallSession } from './call-session.ts';
import { LifeSigns } from './life-signs.ts';
import { PluginOutput } from './plugin-output.ts';
import { MOST_DRIVERS } from './inside/remote-drivers.ts';
import { pluginProgram, type StartedProcess, startPluginProcess } from './start-plugin-process.ts';

/** How much time of its own a process may take to load code. */
const LOADING_MILLISECONDS = 10_000;
/** How many failures outside of operations are logged. */
const MOST_STRAYS = 100;
/** How long a process may take to end after it has closed its connection, and how long its last output is awaited after its end. */
const CLOSING_MILLISECONDS = 500;

export interface PluginSetup {
  readonly plugin: string;
  readonly configuration: Configuration;
  readonly memoryMebibytes: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Shared by all plugins. */
  readonly credits: Credits;
  /** Runs `start` when its turn comes, so that few processes start at the same time. */
  readonly inTurn: <T>(start: () => Promise<T>) => Promise<T>;
}

interface Life {
  /** One of `computingLimits` of life-signs.ts. */
  readonly longestComputing: number;
  /** A number that distinguishes this process from earlier processes of the plugin. */
  readonly life: number;
  /** Called once, when the process has ended. */
  readonly ended: (reason: string) => void;
}

/** An object of an entry point that was loaded in the process. */
export interface LoadedEntry {
  readonly entry: number;
  readonly description: unknown;
}

export interface WantedPhase {
  readonly hook: number;
  readonly phase: HookPhase;
}

export class RunningPlugin {
  readonly peer: Peer;
  readonly life: number;
  readonly bases: Record<number, object> = {};
  readonly #setup: PluginSetup;
  readonly #process: StartedProcess;
  readonly #output: PluginOutput;
  readonly #sessions = new Map<number, CallSession>();
  readonly #drivers = new WeakMap<Driver, number>();
  #lastDriver = 0;
  #lastCall = 0;
  #strays = 0;
  readonly #signs: LifeSigns;
  /** Reads the first thread of the process, which runs the plugin's code. */
  readonly #read = () => readThread(this.#process.child.pid);
  /** Why the daemon has ended the process. */
  #verdict: string | undefined;
  #isOver = false;

  constructor(setup: PluginSetup, { life, ended, longestComputing }: Life) {
    const { clock, log, memoryMebibytes } = setup;
    this.#setup = setup;
    this.life = life;
    this.#process = startPluginProcess(pluginProgram, memoryMebibytes);
    const { child, border } = this.#process;
    border.on('data', () => this.#signs.heard());
    this.#output = new PluginOutput([child.stdout, child.stderr], {
      clock,
      log,
      flooded: (reason) => this.kill(reason),
    });
    this.peer = new Peer(border, {
      clock,
      is: 'daemon',
      credit: setup.credits.open(),
      answer: (asked) => this.#answer(asked),
      // an end of the process that the event loop is about to report comes first: it closes the connection too
      lost: (reason) =>
        void clock.after(CLOSING_MILLISECONDS, () => void setImmediate(() => this.kill(reason))),
    });
    this.#signs = new LifeSigns({
      clock,
      peer: this.peer,
      read: this.#read,
      longestComputing,
      blocked: (reason) => this.kill(reason),
    });
    child.once('error', (error) => this.#end(`its process cannot be started: ${error.message}`, ended));
    child.once('exit', (code, signal) => {
      // the last output gives the reason for the end; a child of the process may keep the output open
      const end = () => this.#end(this.#lastWords(code, signal), ended);
      child.once('close', end);
      clock.after(CLOSING_MILLISECONDS, end);
    });
  }

  /** Resolves when the process can load code. */
  begin(): Promise<unknown> {
    const { plugin, configuration } = this.#setup;
    return this.#ask({ value: { begin: plugin, configuration } });
  }

  /** Loads the object that the file exports under this name; undefined when it exports no object under this name. */
  async load(url: string, exported: string): Promise<LoadedEntry | undefined> {
    return this.#entryOf({ load: url, exported });
  }

  /** Makes an interface from `base`. `extension`: the number of the entry that extends it. */
  async make(extension: number, base: object): Promise<LoadedEntry | undefined> {
    this.bases[extension] = base;
    return this.#entryOf({ make: extension, base: described(base) });
  }

  /** Lets the hook whose entry has this number check the configuration. Rejects with what the hook throws. */
  checkConfiguration(hook: number): Promise<unknown> {
    return this.#withinTime(
      this.#ask({ value: { check: hook } }),
      'a hook has not finished checking its configuration',
    );
  }

  /** Runs one phase of a hook on a draft. */
  async runHook(wanted: WantedPhase, draft: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    const { bytes } = await this.#ask({ value: { ...wanted }, bytes: draft }, signal);
    return bytes ?? new Uint8Array();
  }

  async #entryOf(value: JsonObject): Promise<LoadedEntry | undefined> {
    const { value: answer } = await this.#withinTime(
      this.#ask({ value }),
      'it has not finished loading: its top level or a factory still waits or computes',
    );
    if (!isJsonObject(answer) || typeof answer['entry'] !== 'number') return undefined;
    return { entry: answer['entry'], description: answer['described'] };
  }

  /** Calls the function at `place` in the object of an entry. Its arguments are `context` and `given`. */
  async call(
    entry: number,
    place: Place,
    context: DriverContext,
    given: readonly unknown[],
  ): Promise<unknown> {
    const id = (this.#lastCall += 1);
    const session = new CallSession(context, this);
    this.#sessions.set(id, session);
    const { value: handed, bytes, at: bytesAt } = packed(given);
    const question = {
      id,
      entry,
      place,
      given: handed,
      bytesAt,
      snapshot: session.snapshot(),
      ...this.#driverOf(context),
    };
    try {
      const answer = await this.#ask({ value: question, bytes }, context.signal);
      const { result, bytesAt: at } = isJsonObject(answer.value) ? answer.value : {};
      return unpacked({ value: result, bytes: answer.bytes }, at);
    } finally {
      this.#sessions.delete(id);
    }
  }

  /** Ends the process. `reason`: a clause in which `it` is the plugin, such as `it has not finished loading`. */
  kill(reason: string): void {
    const { exitCode, signalCode } = this.#process.child;
    if (exitCode === null && signalCode === null) this.#verdict ??= reason;
    this.#process.kill();
  }

  /** Resolves when the process has ended, and every process that it has started. */
  get gone(): Promise<void> {
    return this.#process.gone;
  }

  /** From now on, the process gets the processor only when the daemon does not need it. */
  comeSecond(): void {
    this.#process.comeSecond();
  }

  /**
   * Returns the number of the node's driver; an empty object for a context without a driver. Adds the driver's description in
   * the first call with this driver, and again when the process may have dropped the description.
   */
  #driverOf(context: DriverContext): object {
    if (!('driver' in context)) return {};
    const { driver } = context as Task;
    const known = this.#drivers.get(driver);
    if (known !== undefined && known > this.#lastDriver - MOST_DRIVERS) return { driver: known };
    this.#lastDriver += 1;
    this.#drivers.set(driver, this.#lastDriver);
    const description = Object.fromEntries(
      interfaceTypes.map((type) => [type, this.#interfaceOf(driver, type)]),
    );
    return { driver: this.#lastDriver, description };
  }

  #interfaceOf(driver: Driver, type: (typeof interfaceTypes)[number]): JsonObject {
    try {
      return described(driver[type]);
    } catch (error) {
      return { unavailable: this.peer.errors.encoded(error) };
    }
  }

  #ask(question: Cargo, signal?: AbortSignal): Promise<Cargo> {
    if (this.peer.waiting === 0) this.#signs.heard();
    return this.peer.ask(question, signal);
  }

  async #answer({ value }: Asked): Promise<Cargo> {
    const session = this.#sessions.get(Number(value['call']));
    if ('stray' in value) {
      this.#strays += 1;
      const error = this.peer.errors.decoded(value['stray']);
      if (this.#strays <= MOST_STRAYS) this.#setup.log.error({ error }, 'failure outside any operation');
      if (this.#strays === MOST_STRAYS)
        this.#setup.log.warn({}, 'more failures of this process are not logged');
      return { value: null };
    }
    if (session === undefined) throw new Error('the operation is over');
    if (!('log' in value)) return { value: await session.serve(value) };
    session.log(value);
    return { value: null };
  }

  /** Kills the process when the answer takes too long; `late`: the reason to give in that case. */
  async #withinTime<T>(answer: Promise<T>, late: string): Promise<T> {
    const cancel = whenOwnTime(
      (spent) => sumOf(spent) >= LOADING_MILLISECONDS,
      new OwnTimeMeter(this.#read),
      this.#setup.clock,
      () => this.kill(`${late} after ${LOADING_MILLISECONDS / 1000} s`),
    );
    try {
      return await answer;
    } finally {
      cancel();
    }
  }

  #lastWords(code: number | null, signal: NodeJS.Signals | null): string {
    // any other end is the process's own, although the daemon was about to end it
    if (this.#verdict !== undefined && signal === 'SIGKILL') return this.#verdict;
    if (this.#output.ranOutOfMemory)
      return `it used more than ${this.#setup.memoryMebibytes} MiB of memory ([plugins] memory_limit)`;
    return signal === null
      ? `its process ended with exit code ${code}, as after process.exit(${code})`
      : `its process crashed with ${signal}`;
  }

  #end(reason: string, ended: (reason: string) => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#signs.end();
    this.peer.close(new Error(reason));
    ended(reason);
  }
}

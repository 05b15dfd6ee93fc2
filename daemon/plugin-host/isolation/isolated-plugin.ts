// A plugin from outside the tree: its code runs in a process of its own, which is started again when it has ended. Its hooks run in
// further processes, so that several reports can be processed at the same time.
import { reasonOf } from '../../model/faults.ts';
import type { DriverContext } from '../../plugin-api/index.ts';
import { type HookPhase, hookPhases } from '../hook-phases.ts';
import { type Place, rebuilt } from './border/described.ts';
import { HookProcesses } from './hook-processes.ts';
import { computingLimits } from './life-signs.ts';
import { type LoadedEntry, type PluginSetup, RunningPlugin } from './running-plugin.ts';

const FIRST_PAUSE_MILLISECONDS = 1000;
const LONGEST_PAUSE_MILLISECONDS = 300_000;
/** A process that has run for this long counts as stable: the pause before the next start is then the shortest again. */
const GOOD_LIFE_MILLISECONDS = 600_000;
/** The process of a replaced plugin is ended after this long without use, which is longer than states of BMCs are kept. */
const UNUSED_MILLISECONDS = 360_000;

/** How a process gets an object: from a file, or as the interface that the entry number `extension` makes from `base`. */
type Entry =
  | { readonly kind: 'file'; readonly url: string; readonly exported: string }
  | { readonly kind: 'made'; readonly extension: number; readonly base: object };

const gotten = (running: RunningPlugin, entry: Entry): Promise<LoadedEntry | undefined> =>
  entry.kind === 'file' ? running.load(entry.url, entry.exported) : running.make(entry.extension, entry.base);

const isHookPhase = (name: string | undefined): name is HookPhase =>
  hookPhases.some((phase) => phase === name);

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly since: number; readonly started: Promise<RunningPlugin> }
  | { readonly kind: 'pausing'; readonly reason: string; readonly until: number; readonly cancel: () => void }
  | { readonly kind: 'closed' };

/** The health of a plugin. `ends`: how often its process has ended unexpectedly; `reason`: why it did so last. */
export interface PluginHealth {
  readonly isRunning: boolean;
  readonly ends: number;
  readonly reason: string | undefined;
}

export class IsolatedPlugin {
  readonly #setup: PluginSetup;
  readonly #nextLife: () => number;
  readonly #entries: Entry[] = [];
  /** What was loaded from files, by URL and exported name. */
  readonly #files = new Map<string, object>();
  #state: State = { kind: 'idle' };
  #ends = 0;
  /** How many operations are running. */
  #uses = 0;
  #usedAt = 0;
  #isReplaced = false;
  #pause = FIRST_PAUSE_MILLISECONDS;
  #reason: string | undefined;
  #current: RunningPlugin | undefined;
  readonly #hooks: HookProcesses;

  /** `nextLife`: returns a new number for each process, unique among the processes of all plugins. */
  constructor(setup: PluginSetup, nextLife: () => number) {
    this.#setup = setup;
    this.#nextLife = nextLife;
    this.#hooks = new HookProcesses(setup, {
      nextLife,
      ended: (reason) => this.#count(reason, { process: 'of its hooks' }),
    });
  }

  get health(): PluginHealth {
    return { isRunning: this.#state.kind === 'running', ends: this.#ends, reason: this.#reason };
  }

  /**
   * Returns the object that the file exports under this name, with functions that run in the process; undefined when the file
   * exports no object under this name. Rejects with the reason when the object cannot be loaded.
   */
  async load(url: string, exported: string): Promise<object | undefined> {
    const key = `${url} ${exported}`;
    const value = this.#files.get(key) ?? (await this.#get({ kind: 'file', url, exported }));
    if (value !== undefined) this.#files.set(key, value);
    return value;
  }

  async #get(entry: Entry): Promise<object | undefined> {
    const loaded = await gotten(await this.#running(), entry);
    if (loaded === undefined) return undefined;
    return this.#remote(this.#entries.push(entry) - 1, loaded);
  }

  /**
   * Called when a newer version has replaced this one. The process ends when it has been unused for a while. It starts again if
   * work that began before the replacement calls another operation.
   */
  retire(): void {
    this.#isReplaced = true;
    this.#endWhenUnused();
  }

  #endWhenUnused(): void {
    const { clock } = this.#setup;
    clock.after(UNUSED_MILLISECONDS, () => {
      if (this.#state.kind === 'idle' || this.#state.kind === 'closed') return;
      const isUnused = this.#uses === 0 && clock.monotonic() - this.#usedAt >= UNUSED_MILLISECONDS;
      if (this.#state.kind !== 'running' || !isUnused) return this.#endWhenUnused();
      this.#state = { kind: 'idle' };
      this.#current?.kill('a newer version has taken its place');
    });
  }

  /** Call this when the plugin has been loaded: from now on, the daemon comes first on the processor. */
  loaded(): void {
    this.#current?.comeSecond();
  }

  /** Ends the processes; they are not started again. Resolves when they have ended, and those that they have started. */
  async close(): Promise<void> {
    if (this.#state.kind === 'pausing') this.#state.cancel();
    this.#state = { kind: 'closed' };
    this.#current?.kill('the daemon stops');
    await Promise.all([this.#current?.gone, this.#hooks.close()]);
  }

  #remote(index: number, { description }: LoadedEntry): object {
    return rebuilt(description, (place: Place) => async (context, ...given) => {
      const [name] = place.length === 1 ? place : [];
      // the first argument of `make` and of the functions of hooks is not a task
      if (name === 'make') return this.#get({ kind: 'made', extension: index, base: context as object });
      if (isHookPhase(name))
        return this.#hooks.run(
          { ...this.#fileOf(index), phase: name },
          context as Uint8Array,
          given[0] as AbortSignal,
        );
      const running = await this.#running();
      // entries are loaded in the same order in every process
      if (name === 'checkConfiguration') return running.checkConfiguration(index);
      return this.#use(() => running.call(index, place, context as DriverContext, given));
    });
  }

  #fileOf(index: number): Extract<Entry, { kind: 'file' }> {
    const entry = this.#entries[index];
    if (entry?.kind !== 'file') throw new Error('an interface that extends another one is no hook');
    return entry;
  }

  async #use(run: () => Promise<unknown>): Promise<unknown> {
    this.#uses += 1;
    try {
      return await run();
    } finally {
      this.#uses -= 1;
      this.#usedAt = this.#setup.clock.monotonic();
    }
  }

  #running(): Promise<RunningPlugin> {
    if (this.#state.kind === 'idle') this.#start();
    if (this.#state.kind === 'running') return this.#state.started;
    return Promise.reject(new Error(this.#whyNot()));
  }

  #whyNot(): string {
    if (this.#state.kind !== 'pausing') return 'its process has ended, as the daemon stops';
    const seconds = Math.ceil((this.#state.until - this.#setup.clock.monotonic()) / 1000);
    return `it is not running: ${this.#state.reason}. It starts again in ${Math.max(0, seconds)} s`;
  }

  #start(): void {
    if (this.#isReplaced) this.#endWhenUnused();
    const started = this.#setup.inTurn(() => this.#begun()).then((running) => this.#ready(running));
    // the operation that needs the process reports the error
    started.catch(() => undefined);
    this.#state = { kind: 'running', since: this.#setup.clock.monotonic(), started };
  }

  /** Starts a process that can load code. */
  async #begun(): Promise<RunningPlugin> {
    if (this.#state.kind === 'closed') throw new Error(this.#whyNot());
    const running: RunningPlugin = new RunningPlugin(this.#setup, {
      life: this.#nextLife(),
      longestComputing: computingLimits.ofOperations,
      ended: (reason) => this.#ended(running, reason),
    });
    this.#current = running;
    await running.begin();
    return running;
  }

  /** Loads what the plugin's earlier processes had loaded. */
  async #ready(running: RunningPlugin): Promise<RunningPlugin> {
    try {
      for (const entry of this.#entries)
        if ((await gotten(running, entry)) === undefined)
          running.kill('its code no longer exports what it exported before');
    } catch (error) {
      running.kill(reasonOf(error));
      throw error;
    }
    // a process that was started again has been loaded now
    if (this.#entries.length > 0) running.comeSecond();
    return running;
  }

  #ended(running: RunningPlugin, reason: string): void {
    if (running !== this.#current || this.#state.kind !== 'running') return;
    const { clock } = this.#setup;
    const now = clock.monotonic();
    if (now - this.#state.since > GOOD_LIFE_MILLISECONDS) this.#pause = FIRST_PAUSE_MILLISECONDS;
    const pause = this.#pause;
    this.#pause = Math.min(2 * pause, LONGEST_PAUSE_MILLISECONDS);
    const cancel = clock.after(pause, () => this.#start());
    this.#state = { kind: 'pausing', reason, until: now + pause, cancel };
    this.#count(reason, { pause_seconds: pause / 1000 });
  }

  #count(reason: string, details: object): void {
    this.#ends += 1;
    this.#reason = reason;
    const { log, plugin } = this.#setup;
    log.error({ plugin, reason, ...details }, 'the process of a plugin has ended');
  }
}

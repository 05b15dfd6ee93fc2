// The processes in which a plugin's hooks run. Each processes one report at a time, so a hook that loops or crashes affects no
// other report and no operation of the plugin's interfaces. They start when reports need them, and end when no more arrive.
import { computingLimits } from './life-signs.ts';
import { type PluginSetup, RunningPlugin, type WantedPhase } from './running-plugin.ts';

const IDLE_MILLISECONDS = 30_000;

export interface HookInFile extends Pick<WantedPhase, 'phase'> {
  readonly url: string;
  readonly exported: string;
}

interface Surroundings {
  /** Returns a new number for each process. */
  readonly nextLife: () => number;
  /** Called when a process has ended unexpectedly. */
  readonly ended: (reason: string) => void;
}

class HookProcess {
  readonly running: RunningPlugin;
  /** When it last finished a report. */
  restedAt = 0;
  readonly #hooks = new Map<string, number>();
  #isUnneeded = false;

  constructor(setup: PluginSetup, { nextLife, ended }: Surroundings) {
    this.running = new RunningPlugin(setup, {
      life: nextLife(),
      longestComputing: computingLimits.ofHooks,
      ended: (reason) => {
        if (!this.#isUnneeded) ended(reason);
      },
    });
  }

  end(reason: string): void {
    this.#isUnneeded = true;
    this.running.kill(reason);
  }

  async run({ url, exported, phase }: HookInFile, draft: Uint8Array, signal: AbortSignal) {
    const key = `${url} ${exported}`;
    const hook = this.#hooks.get(key) ?? (await this.running.load(url, exported))?.entry;
    if (hook === undefined) throw new Error('its code no longer exports what it exported before');
    this.#hooks.set(key, hook);
    return this.running.runHook({ hook, phase }, draft, signal);
  }
}

export class HookProcesses {
  readonly #setup: PluginSetup;
  readonly #surroundings: Surroundings;
  readonly #all = new Set<HookProcess>();
  readonly #idle = new Set<HookProcess>();
  #isClosed = false;

  constructor(setup: PluginSetup, surroundings: Surroundings) {
    this.#setup = setup;
    this.#surroundings = surroundings;
  }

  /** Runs one phase of a hook on a draft. If `signal` aborts, the process is ended. */
  async run(wanted: HookInFile, draft: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    const [rested] = this.#idle;
    const one = rested ?? (await this.#started());
    this.#idle.delete(one);
    const onAbort = () => one.end('the inspection is over');
    signal.addEventListener('abort', onAbort);
    try {
      signal.throwIfAborted();
      const result = await one.run(wanted, draft, signal);
      this.#rest(one);
      return result;
    } catch (error) {
      // whatever went wrong, the next report gets a new process
      one.end('its hook has failed');
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Ends all processes. Resolves when they have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const one of this.#all) one.end('the daemon stops');
    await Promise.all([...this.#all].map(({ running }) => running.gone));
  }

  #started(): Promise<HookProcess> {
    return this.#setup.inTurn(async () => {
      if (this.#isClosed) throw new Error('its process has ended, as the daemon stops');
      const one = new HookProcess(this.#setup, this.#surroundings);
      this.#all.add(one);
      void one.running.gone.then(() => this.#forget(one));
      await one.running.begin();
      return one;
    });
  }

  #forget(one: HookProcess): void {
    this.#all.delete(one);
    this.#idle.delete(one);
  }

  #rest(one: HookProcess): void {
    const { clock } = this.#setup;
    this.#idle.add(one);
    one.restedAt = clock.monotonic();
    clock.after(IDLE_MILLISECONDS, () => {
      if (!this.#idle.has(one) || clock.monotonic() - one.restedAt < IDLE_MILLISECONDS) return;
      this.#idle.delete(one);
      one.end('no more reports arrive');
    });
  }
}

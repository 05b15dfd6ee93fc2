// The processes of all plugins from outside the tree.
import { limitConcurrency } from '../../lib/limits/limit-concurrency.ts';
import { Credits } from './border/credit.ts';
import type { Plugin } from '../manifests/manifest.ts';
import { IsolatedPlugin, type PluginHealth } from './isolated-plugin.ts';
import type { PluginSetup } from './running-plugin.ts';

/** How many processes start at the same time: each uses most of a core for 0.1 s. */
const STARTS_AT_ONCE = 2;

/** A new version of a plugin in a new process. The process of the version that it is to replace still runs. */
export interface Renewal {
  /** Where plugins are loaded to try the new version: this plugin in the new process, the others in those they have. */
  readonly processes: Pick<PluginProcesses, 'of'>;
  /** Puts the new version in place of the former version, which then serves only work that began before. */
  commit(): void;
  /** Ends the new process; the former version stays in use. */
  discard(): void;
}

export class PluginProcesses {
  readonly #setup: Omit<PluginSetup, 'plugin'>;
  readonly #plugins = new Map<string, IsolatedPlugin>();
  readonly #replaced: IsolatedPlugin[] = [];
  #lives = 0;

  constructor(setup: Omit<PluginSetup, 'plugin' | 'credits' | 'inTurn'>) {
    this.#setup = {
      ...setup,
      credits: new Credits(setup.clock),
      inTurn: limitConcurrency(STARTS_AT_ONCE),
    };
  }

  /** Returns the plugin, whose process starts when something is loaded from it. */
  of({ manifest: { name } }: Plugin): IsolatedPlugin {
    const known = this.#plugins.get(name);
    if (known !== undefined) return known;
    const plugin = this.#create(name);
    this.#plugins.set(name, plugin);
    return plugin;
  }

  /** Ends the processes of a plugin that is not used. */
  drop({ manifest: { name } }: Plugin): void {
    void this.#plugins.get(name)?.close();
    this.#plugins.delete(name);
  }

  renewed(name: string): Renewal {
    const fresh = this.#create(name);
    return {
      processes: { of: (plugin) => (plugin.manifest.name === name ? fresh : this.of(plugin)) },
      commit: () => {
        const former = this.#plugins.get(name);
        this.#plugins.set(name, fresh);
        fresh.loaded();
        if (former === undefined) return;
        this.#replaced.push(former);
        former.retire();
      },
      discard: () => void fresh.close(),
    };
  }

  #create(name: string): IsolatedPlugin {
    const log = this.#setup.log.child({ plugin: name });
    return new IsolatedPlugin({ ...this.#setup, log, plugin: name }, () => (this.#lives += 1));
  }

  /** The health of the processes, by the name of the plugin. */
  get health(): ReadonlyMap<string, PluginHealth> {
    return new Map([...this.#plugins].map(([name, plugin]) => [name, plugin.health]));
  }

  /** Call this when the plugins have been loaded: from now on, the daemon comes first on the processor. */
  loaded(): void {
    for (const plugin of this.#plugins.values()) plugin.loaded();
  }

  /** Ends all processes. Resolves when they have ended, and those that they have started. */
  async close(): Promise<void> {
    await Promise.all([...this.#plugins.values(), ...this.#replaced].map((plugin) => plugin.close()));
  }
}

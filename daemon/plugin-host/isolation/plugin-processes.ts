// The processes of all plugins from outside the tree.
import type { Plugin } from '../manifests/manifest.ts';
import { IsolatedPlugin, type PluginHealth } from './isolated-plugin.ts';
import type { PluginSetup } from './running-plugin.ts';

export class PluginProcesses {
  readonly #setup: Omit<PluginSetup, 'plugin'>;
  readonly #plugins = new Map<string, IsolatedPlugin>();

  constructor(setup: Omit<PluginSetup, 'plugin'>) {
    this.#setup = setup;
  }

  /** The plugin's process starts when something of it is loaded. */
  of({ manifest: { name } }: Plugin): IsolatedPlugin {
    const known = this.#plugins.get(name);
    if (known !== undefined) return known;
    const log = this.#setup.log.child({ plugin: name });
    const plugin = new IsolatedPlugin({ ...this.#setup, log, plugin: name });
    this.#plugins.set(name, plugin);
    return plugin;
  }

  /** By the name of the plugin. */
  get health(): ReadonlyMap<string, PluginHealth> {
    return new Map([...this.#plugins].map(([name, plugin]) => [name, plugin.health]));
  }

  close(): void {
    for (const plugin of this.#plugins.values()) plugin.close();
  }
}

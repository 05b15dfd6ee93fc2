// Loads the plugins with which the daemon can run. A plugin from outside the tree that cannot be loaded is set aside, so that no
// plugin can keep the daemon from starting.
import type { Config } from '../config/sections/core-sections.ts';
import type { Clock } from '../lib/clock.ts';
import type { PluginProcesses } from './isolation/plugin-processes.ts';
import type { Discovery } from './manifests/discover.ts';
import { PluginFlaw } from './plugin-flaw.ts';
import { loadRegistry, type Registry } from './registry.ts';

export interface Usable {
  /** Without the plugins that were set aside. */
  readonly discovery: Discovery;
  readonly registry: Registry;
}

/** Throws an Error that says what to change in the configuration. */
export async function loadUsable(
  discovery: Discovery,
  config: Config,
  clock: Clock,
  processes: PluginProcesses | undefined,
): Promise<Usable> {
  try {
    return { discovery, registry: await loadRegistry(discovery, config, clock, processes) };
  } catch (error) {
    if (!(error instanceof PluginFlaw)) throw error;
    processes?.drop(error.plugin);
    return loadUsable(without(discovery, error), config, clock, processes);
  }
}

const without = ({ plugins, setAside }: Discovery, { plugin, message }: PluginFlaw): Discovery => ({
  plugins: plugins.filter(({ folder }) => folder !== plugin.folder),
  setAside: [
    ...setAside,
    { folder: plugin.folder, reason: message.endsWith('.') ? message.slice(0, -1) : message },
  ],
});

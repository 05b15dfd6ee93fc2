// The plugins of a running daemon. A plugin that has a process of its own can be reloaded while the other plugins and the work on
// nodes go on: work that has begun continues in the old process, and later work runs in the new process.
import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config/sections/core-sections.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { fault, reasonOf } from '../model/faults.ts';
import type { Node } from '../model/records/node.ts';
import type { Driver } from '../plugin-api/index.ts';
import { createComposer } from './compose.ts';
import type { PluginHealth } from './isolation/isolated-plugin.ts';
import type { PluginProcesses } from './isolation/plugin-processes.ts';
import { admitPlugins } from './manifests/admit-plugins.ts';
import type { Discovery } from './manifests/discover.ts';
import { asideText } from './manifests/entry-points.ts';
import type { Plugin } from './manifests/manifest.ts';
import { loadUsable, type Usable } from './load-usable.ts';
import { loadRegistry, type Registry } from './registry.ts';

export interface LiveSetup {
  readonly config: Config;
  readonly clock: Clock;
  /** Undefined when all plugins run in this process. */
  readonly processes: PluginProcesses | undefined;
  /** Looks again for what is in the directories of plugins. */
  readonly discover: () => Discovery;
  /** Throws an Error for a registry with which the daemon cannot run. */
  readonly admit: (registry: Registry) => void;
}

interface Loaded {
  readonly discovery: Discovery;
  readonly registry: Registry;
  readonly compose: (node: Node) => Driver;
}

export interface PluginState {
  readonly plugin: Plugin;
  /** Undefined for a plugin without a process of its own. */
  readonly health: PluginHealth | undefined;
}

export interface Reloaded {
  readonly plugin: Plugin;
  /** The version that the reload replaced; undefined when there was none. */
  readonly replaced: string | undefined;
}

const SET_ASIDE = 'plugin set aside';

export class LivePlugins {
  /** The registry always shows the plugins that are loaded now. Do not keep its members: a reload replaces them. */
  readonly registry: Registry;
  /** Called after a plugin was reloaded. */
  readonly changed = new Set<() => void>();
  readonly #setup: LiveSetup;
  /** The options that each plugin declared when the daemon read its configuration. */
  readonly #optionsAtStart: ReadonlyMap<string, object>;
  #loaded: Loaded;
  #reloading: Promise<unknown> = Promise.resolve();

  private constructor(setup: LiveSetup, first: Loaded, found: readonly Plugin[]) {
    this.#setup = setup;
    this.#optionsAtStart = new Map(
      found.map(({ manifest: { name, configuration = {} } }) => [name, configuration]),
    );
    this.#loaded = first;
    this.registry = viewOf(first.registry, () => this.#loaded.registry);
  }

  /** Throws an Error that says what to change. */
  static async load(setup: LiveSetup, discovery: Discovery): Promise<LivePlugins> {
    const { config, clock, processes } = setup;
    const loaded = admitted(setup, await loadUsable(discovery, config, clock, processes));
    processes?.loaded();
    return new LivePlugins(setup, loaded, discovery.plugins);
  }

  /** Throws NoValidDriver for a node whose driver is not enabled. */
  compose(node: Node): Driver {
    return this.#loaded.compose(node);
  }

  get states(): readonly PluginState[] {
    const health = this.#setup.processes?.health;
    return this.#loaded.discovery.plugins.map((plugin) => ({
      plugin,
      health: plugin.isInTree ? undefined : health?.get(plugin.manifest.name),
    }));
  }

  get setAside(): Discovery['setAside'] {
    return this.#loaded.discovery.setAside;
  }

  /** Logs which plugins were set aside, and what is missing because of that. */
  logLosses(log: Logger): void {
    for (const plugin of this.setAside) log.warn(plugin, SET_ASIDE);
    for (const reason of this.registry.losses)
      log.error({ reason }, 'something that is enabled is not loaded');
  }

  /** Throws PluginNotFound, or PluginNotReloaded with the reason; then nothing has changed. */
  reload(name: string): Promise<Reloaded> {
    // reloads run one at a time, because each replaces what the previous one has loaded
    const reloading = this.#reloading.then(() => this.#reload(name));
    this.#reloading = reloading.catch(() => undefined);
    return reloading;
  }

  /** Reloads every plugin that has a process of its own, as found on the disk now; logs those that cannot be. */
  async reloadAll(log: Logger): Promise<void> {
    const { plugins, setAside } = this.#setup.discover();
    for (const plugin of setAside) log.warn(plugin, SET_ASIDE);
    for (const { manifest, isInTree } of plugins) {
      if (isInTree) continue;
      const { name: plugin, version } = manifest;
      try {
        await this.reload(plugin);
        log.info({ plugin, version }, 'plugin reloaded');
      } catch (error) {
        log.error({ plugin, reason: reasonOf(error) }, 'plugin not reloaded');
      }
    }
    log.info({}, 'reloaded; a changed configuration file takes effect at the next start');
  }

  async #reload(name: string): Promise<Reloaded> {
    const { processes } = this.#setup;
    const { plugin, discovery, replaced } = this.#candidate(name);
    if (plugin.isInTree || processes === undefined)
      throw refused(name, 'it runs in the process of the daemon');
    const renewal = processes.renewed(name);
    try {
      const { config, clock } = this.#setup;
      const registry = await loadRegistry(discovery, config, clock, renewal.processes);
      this.#loaded = admitted(this.#setup, { discovery, registry });
    } catch (error) {
      renewal.discard();
      throw refused(name, reasonOf(error));
    }
    renewal.commit();
    for (const follow of this.changed) follow();
    return { plugin, replaced: replaced?.manifest.version };
  }

  /** Reads all plugins from the disk, and returns what the reload of the named one needs. */
  #candidate(name: string) {
    const { plugins: found, setAside } = this.#setup.discover();
    const isIt = ({ manifest }: Plugin) => manifest.name === name;
    const plugin = found.find(isIt);
    if (plugin === undefined) throw fault('PluginNotFound', { plugin: name, aside: asideText(setAside) });
    const { plugins } = this.#loaded.discovery;
    const replaced = plugins.find(isIt);
    const { configuration = {} } = plugin.manifest;
    if (!isDeepStrictEqual(this.#optionsAtStart.get(name) ?? {}, configuration))
      throw refused(name, 'its options have changed, and the daemon reads options at its start: restart it');
    const admission = admitPlugins([...plugins.filter((one) => one !== replaced), plugin]);
    const [conflict] = admission.setAside;
    if (conflict !== undefined) throw refused(name, conflict.reason);
    return { plugin, replaced, discovery: { plugins: admission.plugins, setAside } };
  }
}

const refused = (plugin: string, reason: string) =>
  fault('PluginNotReloaded', { plugin, reason: reason.endsWith('.') ? reason.slice(0, -1) : reason });

function admitted({ config, admit }: LiveSetup, { discovery, registry }: Usable): Loaded {
  admit(registry);
  const compose = createComposer(registry, config.DEFAULT.autodetect_deploy_interfaces);
  return { discovery, registry, compose };
}

/** Returns an object with the members of `first`; each member always has the value of the current object. */
const viewOf = <T extends object>(first: T, current: () => T): T =>
  Object.defineProperties(
    {},
    Object.fromEntries(
      (Object.keys(first) as (keyof T & string)[]).map((name) => [
        name,
        { enumerable: true, get: () => current()[name] },
      ]),
    ),
  ) as T;

// An error for which one plugin from outside the tree is to blame, so that the daemon can start without this plugin.
import { reasonOf } from '../model/faults.ts';
import type { Plugin } from './manifests/manifest.ts';

export class PluginFlaw extends Error {
  readonly plugin: Plugin;

  constructor(plugin: Plugin, cause: unknown) {
    super(reasonOf(cause), { cause });
    this.plugin = plugin;
  }
}

/** What `work` throws becomes a PluginFlaw, unless it is one already or the plugin is part of the daemon. */
export async function blaming<T>(plugin: Plugin | undefined, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw flawOf(plugin, error);
  }
}

export const flawOf = (plugin: Plugin | undefined, error: unknown): unknown =>
  error instanceof PluginFlaw || plugin === undefined || plugin.isInTree
    ? error
    : new PluginFlaw(plugin, error);

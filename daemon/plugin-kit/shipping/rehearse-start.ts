// Loads the configured plugins as the daemon does at its start, for commands that show or change plugins.
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/logger.ts';
import { reasonOf } from '../../model/faults.ts';
import { type ConfigRequest, readConfigWithPlugins } from '../../plugin-host/configured-plugins.ts';
import { PluginProcesses } from '../../plugin-host/isolation/plugin-processes.ts';
import type { Discovery } from '../../plugin-host/manifests/discover.ts';
import { loadUsable } from '../../plugin-host/load-usable.ts';
import type { Registry } from '../../plugin-host/registry.ts';

export type Rehearsal =
  | {
      readonly kind: 'starts';
      readonly discovery: Discovery;
      readonly registry: Registry;
      /** Why the daemon starts without something that the configuration names; undefined if it has everything. */
      readonly flaw: string | undefined;
    }
  | { readonly kind: 'fails'; readonly discovery: Discovery; readonly reason: string };

/** Call `resolvePluginApi` first. Throws ConfigurationError. */
export async function rehearseStart(request: ConfigRequest): Promise<Rehearsal> {
  const { config, values, discovery } = readConfigWithPlugins(request);
  const processes = new PluginProcesses({
    configuration: values,
    memoryMebibytes: config.plugins.memory_limit,
    clock: systemClock,
    // failures are returned; what the processes of plugins report beside them is ignored
    log: silentLog,
  });
  try {
    const usable = await loadUsable(discovery, config, systemClock, processes);
    const [broken] = usable.discovery.setAside.slice(discovery.setAside.length);
    return { kind: 'starts', ...usable, flaw: broken?.reason ?? usable.registry.losses[0] };
  } catch (error) {
    return { kind: 'fails', discovery, reason: reasonOf(error) };
  } finally {
    await processes.close();
  }
}

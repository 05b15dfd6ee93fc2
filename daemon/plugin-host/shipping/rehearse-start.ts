// Loads the configured plugins as the daemon does at its start, for commands that show or change plugins.
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/logger.ts';
import { reasonOf } from '../../model/faults.ts';
import { type ConfigRequest, readConfigWithPlugins } from '../configured-plugins.ts';
import { PluginProcesses } from '../isolation/plugin-processes.ts';
import type { Discovery } from '../manifests/discover.ts';
import { loadRegistry, type Registry } from '../registry.ts';

export type Rehearsal =
  | { readonly kind: 'starts'; readonly discovery: Discovery; readonly registry: Registry }
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
    return {
      kind: 'starts',
      discovery,
      registry: await loadRegistry(discovery, config, systemClock, processes),
    };
  } catch (error) {
    return { kind: 'fails', discovery, reason: reasonOf(error) };
  } finally {
    processes.close();
  }
}

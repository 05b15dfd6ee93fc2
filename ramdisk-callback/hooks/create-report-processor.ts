// The daemon's report processor. When a plugin is reloaded, a new pool of threads processes later reports, while reports that are
// being processed finish in the former pool.
import type { ReportProcessor } from '../../daemon/conductor/inspection/report-processor.ts';
import type { LoadedConfig } from '../../daemon/config/load.ts';
import type { Clock } from '../../daemon/lib/clock.ts';
import type { Logger } from '../../daemon/lib/logger.ts';
import type { LivePlugins } from '../../daemon/plugin-host/live-plugins.ts';
import { createHookPool } from './hook-pool.ts';
import { processingSetup } from './processing.ts';

export function createReportProcessor(
  loaded: Pick<LoadedConfig, 'config' | 'values'>,
  plugins: Pick<LivePlugins, 'registry' | 'changed'>,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): ReportProcessor {
  const { processor, renew } = renewable(() => {
    const { registry } = plugins;
    const surroundings = { clock, log, isolatedHooks: registry.isolatedHooks };
    return createHookPool(
      processingSetup(loaded, registry),
      surroundings,
      loaded.config.inspector.hook_workers,
    );
  });
  plugins.changed.add(renew);
  return processor;
}

interface Generation {
  readonly processor: ReportProcessor;
  /** Calls that have not ended. */
  readonly running: Set<Promise<unknown>>;
}

interface Renewable {
  readonly processor: ReportProcessor;
  /** Makes a new processor, which takes all later calls. */
  readonly renew: () => void;
}

function renewable(create: () => ReportProcessor): Renewable {
  const begin = (): Generation => ({ processor: create(), running: new Set() });
  let current = begin();
  const former = new Set<Generation>();
  const call = <T>(use: (processor: ReportProcessor) => Promise<T>): Promise<T> => {
    const { processor, running } = current;
    const result = use(processor);
    running.add(result);
    const over = () => void running.delete(result);
    result.then(over, over);
    return result;
  };
  const retire = async (generation: Generation) => {
    await Promise.allSettled(generation.running);
    await generation.processor.close();
    former.delete(generation);
  };
  const processor: ReportProcessor = {
    identify: (...given) => call((one) => one.identify(...given)),
    inspect: (...given) => call((one) => one.inspect(...given)),
    reprocess: (...given) => call((one) => one.reprocess(...given)),
    split: (...given) => call((one) => one.split(...given)),
    logs: (...given) => call((one) => one.logs(...given)),
    async close() {
      await Promise.all([current, ...former].map((one) => one.processor.close()));
    },
  };
  const renew = () => {
    former.add(current);
    void retire(current);
    current = begin();
  };
  return { processor, renew };
}

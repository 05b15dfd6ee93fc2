// The threads that process reports: one parses them, the others run hooks and rules. They start with the first report
// and end when no more reports arrive.
import { availableParallelism } from 'node:os';
import type { Clock } from '../../daemon/lib/clock.ts';
import { lazyThreads } from '../../daemon/lib/lazy-threads.ts';
import type { Logger } from '../../daemon/lib/logger.ts';
import type { SharedBytes } from '../../daemon/http/request/body.ts';
import type { StoredInventory } from '../../daemon/db/tables/node-inventory.ts';
import type { Comparison } from './compare.ts';
import type { Identification } from './report-worker.ts';
import type { InspectedRecords } from '../../daemon/conductor/inspection/changes.ts';
import type { ReportOutcome } from './process-report.ts';
import type { ProcessingSetup } from './processing.ts';
import { createTurns } from './turns.ts';

export interface HookPool {
  identify(bytes: SharedBytes): Promise<Identification>;
  /** Runs hooks and rules. Rejects, and ends their thread, when they take longer than a minute. */
  inspect(bytes: SharedBytes, records: InspectedRecords): Promise<ReportOutcome>;
  /** Returns a report in the form the database stores. Rejects when `bytes` is not a report. */
  split(bytes: Uint8Array): Promise<StoredInventory<Uint8Array>>;
  /** As `inspect`, on the stored data of an earlier inspection. */
  reprocess(stored: StoredInventory, records: InspectedRecords, isDryRun: boolean): Promise<Comparison>;
  /** Returns the archive of the ramdisk's logs, or undefined when the report has none. */
  logs(bytes: SharedBytes): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

const HOOK_LIMIT_MILLISECONDS = 60_000;
/** Per thread: several times what the largest accepted report needs once it is parsed. */
const HEAP_LIMIT_MEBIBYTES = 128;

export function createHookPool(
  setup: ProcessingSetup,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  threads: number | null,
): HookPool {
  // leaves one core to the API
  const width = threads ?? Math.max(1, availableParallelism() - 1);
  const threadsOf = (file: string, maxThreads: number) =>
    lazyThreads(
      {
        filename: new URL(file, import.meta.url).href,
        workerData: setup,
        maxThreads,
        // with atomics, an idle thread would block, and work that a hook left running would resume with the next report
        atomics: 'disabled',
        resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MEBIBYTES, maxYoungGenerationSizeMb: 8 },
      },
      // an error in work that a hook left running ends its thread after the result was returned; a new one is started
      (error) => log.error({ error }, 'a hook worker ended unexpectedly'),
    );
  const readers = threadsOf('report-worker.ts', 1);
  const pool = threadsOf('hook-worker.ts', width);
  const inTurn = createTurns(width);
  // the hooks' time limit does not include a report's wait for its turn
  const limited = (name: 'inspect' | 'reprocess', work: object): Promise<unknown> =>
    inTurn(async () => {
      const limit = new AbortController();
      const cancel = clock.after(HOOK_LIMIT_MILLISECONDS, () => {
        const seconds = HOOK_LIMIT_MILLISECONDS / 1000;
        limit.abort(new Error(`the inspection hooks did not end within ${seconds} s`));
      });
      try {
        return await pool.run(work, { name, signal: limit.signal });
      } catch (error) {
        throw limit.signal.aborted ? limit.signal.reason : error;
      } finally {
        cancel();
      }
    });
  return {
    identify: (bytes) => readers.run(bytes, { name: 'identify' }) as Promise<Identification>,
    logs: (bytes) => readers.run(bytes, { name: 'logs' }) as Promise<Uint8Array | undefined>,
    split: (bytes) => readers.run(bytes, { name: 'split' }) as ReturnType<HookPool['split']>,
    inspect: (bytes, records) => limited('inspect', { bytes, records }) as Promise<ReportOutcome>,
    reprocess: (stored, records, isDryRun) =>
      limited('reprocess', { stored, records, isDryRun }) as Promise<Comparison>,
    async close() {
      await Promise.all([readers.close(), pool.close()]);
    },
  };
}

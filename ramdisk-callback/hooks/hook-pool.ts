// The threads that process reports: one only parses them, the others run hooks and rules. They start when they are first needed
// and end when no more reports arrive.
import { availableParallelism } from 'node:os';
import { MessagePort } from 'node:worker_threads';
import type { ReportProcessor } from '../../daemon/conductor/inspection/report-processor.ts';
import { type Clock, sleep } from '../../daemon/lib/clock.ts';
import { type LazyThreads, lazyThreads } from '../../daemon/lib/lazy-threads.ts';
import { OwnTimeMeter, readThread, whenOwnTime } from '../../daemon/lib/limits/own-time.ts';
import type { Logger } from '../../daemon/lib/logger.ts';
import type { Registry } from '../../daemon/plugin-host/registry.ts';
import type * as HookWorker from './hook-worker.ts';
import { withIsolatedHooks } from './isolated-hooks.ts';
import { limitConcurrency } from '../../daemon/lib/limits/limit-concurrency.ts';
import type { ProcessingSetup } from './processing.ts';
import type * as ReportWorker from './report-worker.ts';

/** How long the hooks and rules of one report may compute in their thread. */
const LONGEST_MILLISECONDS = 10_000;
/** After this time, a report that is still being processed no longer keeps the next one waiting. */
const PATIENCE_MILLISECONDS = 5000;
/** How many reports may be processed in addition, because others have taken longer than that. */
const MOST_IN_ADDITION = 8;
/** The heap limit of each thread: several times what the largest accepted report needs once it is parsed. */
const HEAP_LIMIT_MEBIBYTES = 128;

interface Surroundings {
  readonly clock: Clock;
  readonly log: Logger;
  readonly isolatedHooks: Registry['isolatedHooks'];
}

export function createHookPool(
  setup: ProcessingSetup,
  { clock, log, isolatedHooks }: Surroundings,
  threads: number | null,
): ReportProcessor {
  // leaves one core for the API
  const width = threads ?? Math.max(1, availableParallelism() - 1);
  const readers = threadsOf('report-worker.ts', 1, setup, log);
  const hookThreads = threadsOf('hook-worker.ts', width + MOST_IN_ADDITION, setup, log);
  const read = callerOf<typeof ReportWorker>(readers);
  const run = callerOf<typeof HookWorker>(hookThreads);
  const inTurn = patientTurns(clock, width);
  const limited = <T>(work: (port: MessagePort, signal: AbortSignal) => Promise<T>) =>
    inTurn(() =>
      withinLimit(clock, (signal, began) =>
        withIsolatedHooks(isolatedHooks, (port) => work(port, signal), began),
      ),
    );
  return {
    identify: (report) => read('identify', report),
    logs: (report) => read('logs', report),
    split: (report) => read('split', report),
    inspect: (report, records, hooks) =>
      limited((port, signal) => run('inspect', { report, records, hooks, port }, signal)),
    reprocess: (stored, records, isDryRun) =>
      limited((port, signal) => run('reprocess', { stored, records, isDryRun, port }, signal)),
    async close() {
      await Promise.all([readers.close(), hookThreads.close()]);
    },
  };
}

const threadsOf = (file: string, maxThreads: number, setup: ProcessingSetup, log: Logger): LazyThreads =>
  lazyThreads(
    {
      filename: new URL(file, import.meta.url).href,
      workerData: setup,
      maxThreads,
      // with atomics, an idle thread would block, and work that a hook has left running would resume only with the next report
      atomics: 'disabled',
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MEBIBYTES, maxYoungGenerationSizeMb: 8 },
    },
    // an error in work that a hook left running ends the thread after the result was returned; a new thread starts when needed
    (error) => log.error({ error }, 'a hook worker ended unexpectedly'),
  );

type Exports<W> = { readonly [N in keyof W]: (work: never) => unknown };

/** Returns a function that calls the functions exported by the threads' file. W: the type of that file's module. */
const callerOf =
  <W extends Exports<W>>(threads: LazyThreads) =>
  <N extends keyof W & string>(name: N, work: Parameters<W[N]>[0], signal?: AbortSignal) =>
    threads.run(work, { name, ...(signal && { signal }), transferList: portsIn(work) }) as Promise<
      Awaited<ReturnType<W[N]>>
    >;

const portsIn = (work: object): readonly MessagePort[] =>
  'port' in work && work.port instanceof MessagePort ? [work.port] : [];

/** Returns a function that runs `width` pieces of work at a time, and more of them while some take long. */
function patientTurns(clock: Clock, width: number): <T>(work: () => Promise<T>) => Promise<T> {
  const inAll = limitConcurrency(width + MOST_IN_ADDITION);
  const inTurn = limitConcurrency(width);
  return (work) =>
    inAll(async () => {
      const { promise: begun, resolve } = Promise.withResolvers<ReturnType<typeof work>>();
      void inTurn(async () => {
        const running = work();
        resolve(running);
        const ended = new AbortController();
        running.catch(() => undefined).finally(() => ended.abort());
        await sleep(clock, PATIENCE_MILLISECONDS, ended.signal).catch(() => undefined);
      });
      return begun;
    });
}

/** Aborts the work when the thread that does it has computed for too long. `work` calls `began` with the ID of the thread. */
async function withinLimit<T>(
  clock: Clock,
  work: (signal: AbortSignal, began: (thread: number) => void) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  let endWatch: (() => void) | undefined;
  const over = () =>
    limit.abort(
      new Error(
        `the inspection hooks and rules have computed for ${LONGEST_MILLISECONDS / 1000} s without coming to an end`,
      ),
    );
  const began = (thread: number) => {
    const meter = new OwnTimeMeter(() => readThread(process.pid, thread));
    endWatch = whenOwnTime(({ computed }) => computed >= LONGEST_MILLISECONDS, meter, clock, over);
  };
  try {
    return await work(limit.signal, began);
  } catch (error) {
    throw limit.signal.aborted ? limit.signal.reason : error;
  } finally {
    endWatch?.();
  }
}

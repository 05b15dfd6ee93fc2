// A pool of worker threads that is made when the first task comes, and ends its threads when tasks stop coming.
import type { Piscina } from 'piscina';

const IDLE_MILLISECONDS = 30_000;

type Options = NonNullable<ConstructorParameters<typeof Piscina>[0]>;

export interface LazyThreads {
  /** Calls the exported function `name` of the worker's file. */
  run(task: unknown, options: { readonly name: string; readonly signal?: AbortSignal }): Promise<unknown>;
  close(): Promise<void>;
}

/** `onError`: a thread failed while it had no task. */
export function lazyThreads(
  options: Options & { readonly filename: string; readonly maxThreads: number },
  onError: (error: unknown) => void,
): LazyThreads {
  let pool: Promise<Piscina> | undefined;
  const start = async () => {
    const { Piscina: Loaded } = await import('piscina');
    const started = new Loaded({ minThreads: 0, idleTimeout: IDLE_MILLISECONDS, ...options });
    started.on('error', onError);
    return started;
  };
  return {
    run: async (task, details) => (await (pool ??= start())).run(task, details),
    async close() {
      await (await pool)?.destroy();
    },
  };
}

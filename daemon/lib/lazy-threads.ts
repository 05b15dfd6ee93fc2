// A pool of worker threads that is created for the first task and ends idle threads.
import type { MessagePort } from 'node:worker_threads';
import type { Piscina } from 'piscina';

const IDLE_MILLISECONDS = 30_000;

type Options = NonNullable<ConstructorParameters<typeof Piscina>[0]>;

interface RunOptions {
  readonly name: string;
  readonly signal?: AbortSignal;
  /** Moved to the thread instead of copied. */
  readonly transferList?: readonly MessagePort[];
}

export interface LazyThreads {
  /** Runs the exported function `name` of the worker's file in a thread. */
  run(task: unknown, options: RunOptions): Promise<unknown>;
  close(): Promise<void>;
}

/** `onError` is called when a thread fails while it has no task. */
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
    run: async (task, { transferList = [], ...details }) =>
      (await (pool ??= start())).run(task, { ...details, transferList: [...transferList] }),
    async close() {
      await (await pool)?.destroy();
    },
  };
}

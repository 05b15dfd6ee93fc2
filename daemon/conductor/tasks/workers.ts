// The bound on concurrent background work. Work is never queued: when no worker is free it is refused, and the caller
// tries again later.
import { fault } from '../../model/faults.ts';

export interface WorkerPool {
  /** Reserves a worker; call the returned function to free it. Throws NoFreeWorker or ShuttingDown. */
  enter(share: 'request' | 'background'): () => void;
  /** Refuses all further work. */
  close(): void;
  /** Aborts when the pool closes: work that only waits to retry ends then, and the next start resumes it. */
  readonly closing: AbortSignal;
  /** How many workers there are, and how many of them are busy. */
  readonly size: number;
  readonly busy: number;
  /** Resolves when no work is running. */
  idle(): Promise<void>;
}

/** `reservedPercentage` of `size` is kept for requests, so that background work cannot lock operators out. */
export function createWorkerPool(size: number, reservedPercentage: number): WorkerPool {
  const limits = { request: size, background: size - Math.floor((size * reservedPercentage) / 100) };
  const onIdle: (() => void)[] = [];
  let running = 0;
  const closing = new AbortController();
  return {
    closing: closing.signal,
    size,
    get busy() {
      return running;
    },
    enter(share) {
      if (closing.signal.aborted) throw fault('ShuttingDown', {});
      if (running >= limits[share]) throw fault('NoFreeWorker', { size });
      running += 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        running -= 1;
        if (running === 0) for (const resolve of onIdle.splice(0)) resolve();
      };
    },
    close() {
      closing.abort(fault('ShuttingDown', {}));
    },
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => void onIdle.push(resolve))),
  };
}

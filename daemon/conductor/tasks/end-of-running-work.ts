// The end of running work when the daemon stops.
import type { TaskServices } from './services.ts';

/** Resolves when no work runs. Aborts work that still runs after [conductor] graceful_shutdown_timeout; 0 means no limit. */
export async function endOfRunningWork(services: TaskServices, abort: AbortController): Promise<void> {
  const limitSeconds = services.config.conductor.graceful_shutdown_timeout;
  const idle = services.workers.idle();
  if (limitSeconds === 0) return idle;
  const cancel = services.clock.after(limitSeconds * 1000, () => {
    abort.abort(new Error('the service is stopping and did not wait longer for this work'));
  });
  await idle;
  return cancel();
}

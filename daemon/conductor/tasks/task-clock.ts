// The clock of a task. Its `sleep` rejects when the daemon gives up waiting for running work.
import { sleep } from '../../lib/clock.ts';
import type { TaskClock } from '../../plugin-api/index.ts';
import type { TaskServices } from './services.ts';

export function taskClock({ clock, stopping }: TaskServices): TaskClock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (milliseconds) => sleep(clock, milliseconds, stopping),
    after: (milliseconds, action) => clock.after(milliseconds, action),
  };
}

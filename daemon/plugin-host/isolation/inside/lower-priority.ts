// Puts this process, and those that it starts, behind the daemon: for the processor and when memory is short.
import { writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';

/** The kernel accepts one change in this time of users other than root. */
const AGAIN_MILLISECONDS = 110;
const MOST_TRIES = 20;

/** Where the kernel shares the processor among sessions, the priority of a process counts only within its session. */
export function lowerPriority(): void {
  attempt('/proc/self/autogroup', String(getPriority()));
  attempt('/proc/self/oom_score_adj', '1000');
}

/** A service may be forbidden either, or the kernel may not have it; the other limits hold. */
function attempt(file: string, value: string): void {
  for (let tries = 0; tries < MOST_TRIES; tries += 1)
    try {
      return writeFileSync(file, value);
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MILLISECONDS);
    }
}

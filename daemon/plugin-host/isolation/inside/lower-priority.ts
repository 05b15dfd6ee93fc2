// Lowers the priority of this process and of those that it starts: the daemon gets the processor first, and when memory is
// short, the kernel kills these processes first.
import { writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';

/** From users other than root, the kernel accepts one change of a session's priority in this time. */
const AGAIN_MILLISECONDS = 110;
const MOST_TRIES = 20;

/** Where the kernel shares the processor among sessions, the priority of a process counts only within its session. */
export function lowerPriority(): void {
  attempt('/proc/self/autogroup', String(getPriority()));
  attempt('/proc/self/oom_score_adj', '1000');
}

/** A service may not be allowed to write the file, or the kernel may not have it: that is ignored, as the other limits hold. */
function attempt(file: string, value: string): void {
  for (let tries = 0; tries < MOST_TRIES; tries += 1)
    try {
      return writeFileSync(file, value);
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MILLISECONDS);
    }
}

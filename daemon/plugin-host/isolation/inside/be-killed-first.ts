// Makes the process of a plugin, rather than the daemon, the victim when the host's memory is short.
import { writeFileSync } from 'node:fs';

/** When memory is short, the kernel kills this process, and those that it starts, before the daemon. */
export function beKilledFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // some services are not allowed to write the file; the other limits still hold
  }
}

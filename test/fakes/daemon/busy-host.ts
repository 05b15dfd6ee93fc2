// Keeps the processors of this host busy while a test runs.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Starts two endless loops for each processor, in the session of this process. They end with the test. */
export function keepHostBusy(test: { after(end: () => void): void }): void {
  const loops = Array.from({ length: 2 * availableParallelism() }, () =>
    spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }),
  );
  test.after(() => {
    for (const loop of loops) loop.kill('SIGKILL');
  });
}

// An inspection hook that logs a line for tests to wait for, and then never ends.
import { writeSync } from 'node:fs';
import { defineHook } from '#plugin-api';

export const stalling = defineHook({
  call() {
    writeSync(1, 'hook stalls\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});

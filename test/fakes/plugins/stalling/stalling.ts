// An inspection hook that writes a line to standard output, for tests to wait for, and then never ends.
import { writeSync } from 'node:fs';
import { defineHook } from '#plugin-api';

export const stalling = defineHook({
  call() {
    writeSync(1, 'hook stalls\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});

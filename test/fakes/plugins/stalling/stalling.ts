// An inspection hook that logs a line for tests to wait for, and then never ends.
import { writeSync } from 'node:fs';
import { defineHook } from '#plugin-api';

export const stalling = defineHook({
  call(draft) {
    writeSync(1, `${JSON.stringify({ msg: 'hook stalls', node: draft.node.uuid })}\n`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});

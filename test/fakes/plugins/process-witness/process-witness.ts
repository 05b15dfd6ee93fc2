// An inspection hook that records which process it runs in, as plugin data `ran_in`.
import { defineHook } from '#plugin-api';

export const processWitness = defineHook({
  call(draft) {
    draft.pluginData['ran_in'] = process.pid;
  },
});

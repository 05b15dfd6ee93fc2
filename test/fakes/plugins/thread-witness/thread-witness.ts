// An inspection hook that records which thread it runs in, as plugin data `ran_in`.
import { isMainThread, threadId } from 'node:worker_threads';
import { defineHook } from '#plugin-api';

export const threadWitness = defineHook({
  call(draft) {
    draft.pluginData['ran_in'] = { main_thread: isMainThread, thread: threadId };
  },
});

// A rescue system that waits for its agent's heartbeat or is ready immediately.
import { defineRescue } from '#plugin-api';
import { act, note, scriptedWork } from './script.ts';

export const steppingRescue = defineRescue({
  properties: {},
  validate() {},
  async rescue(task) {
    await note(
      task,
      `rescue ${JSON.stringify(task.node.instance_info['hashed_rescue_password']).slice(1, 4)}`,
    );
    return (await act(task, 'rescue', 'wait')) === 'wait' ? 'wait' : 'ready';
  },
  finish: scriptedWork('finish'),
  unrescue: scriptedWork('unrescue'),
  cleanUp: scriptedWork('cleanUpRescue'),
});

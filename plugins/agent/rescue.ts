// The `agent` rescue interface: boots a ramdisk in place of the instance and passes it the hash of the rescue password.
import { defineRescue, stateFacts } from '#plugin-api';
import { checkRescueBoot, prepareService, stop, tearDownService } from './ramdisk-boot.ts';

export const agentRescue = defineRescue({
  properties: {},
  validate: checkRescueBoot,
  rescue: prepareService,
  async finish(task) {
    const { hashed_rescue_password: rescue_password = null } = task.node.instance_info;
    await task.ramdisk.agent.run('rescue.finalize_rescue', { rescue_password, hashed: true });
    await task.driver.boot.cleanUpRamdisk?.(task);
  },
  unrescue: tearDownService,
  async cleanUp(task) {
    if (stateFacts(task.node).failed !== null) await stop(task);
    await task.driver.boot.cleanUpRamdisk?.(task);
  },
});

// Inspection that the boot interface of the node boots the ramdisk for.
import { defineInspect, type Task } from '#plugin-api';

const cleanUp = async (task: Task) => task.driver.boot.cleanUpRamdisk?.(task);

export const managedInspect = defineInspect({
  properties: {},
  validate() {},
  async inspectHardware(task) {
    await task.driver.boot.prepareRamdisk?.(task, task.ramdiskParameters);
    return 'inspect wait';
  },
  abort: cleanUp,
  finish: cleanUp,
});

// The `agent` inspect interface: boots the machine into a ramdisk that reports to this daemon. If the boot interface cannot boot
// a ramdisk, the machine boots from the network once, and the network's boot server must tell the ramdisk where to report.
import { defineInspect, type InspectInterface, type Task } from '#plugin-api';
import { type Resolve, resolveHost } from './bmc-addresses.ts';
import {
  bootRamdisk,
  leaveInspection,
  managesBoot,
  powerOff,
  recordInspection,
  startInspection,
  versionOne,
} from './inspected-machine.ts';

export function createAgentInspect(resolve: Resolve): InspectInterface {
  return defineInspect({
    properties: {},
    async validate(task) {
      if (!(await managesBoot(task))) await task.driver.management.validate(task);
    },
    inspectHardware: (task) =>
      startInspection(task, async () => {
        const isManaged = await managesBoot(task);
        await recordInspection(task, isManaged, resolve);
        await (isManaged ? bootRamdisk(task, callbackUrl(task)) : bootFromNetwork(task));
      }),
    abort: end,
    finish: end,
  });
}

export const agentInspect = createAgentInspect(resolveHost);

const callbackUrl = ({ ramdisk }: Task) =>
  versionOne(ramdisk.parameters['ipa-api-url'] ?? '', 'continue_inspection');

async function bootFromNetwork(task: Task): Promise<void> {
  const stays = task.node.disable_power_off;
  if (!stays) await task.setPower('power off');
  await task.driver.management.setBootDevice(task, 'pxe', false);
  await task.setPower(stays ? 'rebooting' : 'power on');
}

function end(task: Task): Promise<void> {
  return leaveInspection(task, () => powerOff(task));
}

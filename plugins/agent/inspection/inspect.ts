// The `agent` inspect interface: boots the machine into a ramdisk that reports to this daemon. If the boot interface cannot boot
// a ramdisk, the machine boots from the network once, and the network's boot server must tell the ramdisk where to report.
import { defineInspect, fault, type InspectInterface, type Task } from '#plugin-api';
import { type Resolve, resolveHost } from './bmc-addresses.ts';
import {
  bootRamdisk,
  leaveInspection,
  managesBoot,
  powerOffInspected,
  recordInspection,
  startInspection,
  versionOne,
} from './inspected-machine.ts';

export function createAgentInspect(resolve: Resolve): InspectInterface {
  return defineInspect({
    properties: {},
    async validate(task) {
      if (await managesBoot(task)) return;
      refuseUnbooted(task);
      await task.driver.management.validate(task);
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

/**
 * Throws Invalid when no server would boot the machine: the boot interface cannot boot it now, and the daemon's own DHCP server
 * answers the machine but has nothing for machines without a port.
 */
function refuseUnbooted({ boot, driver, ports }: Task): void {
  // with a boot interface that never boots ramdisks, the operator relies on a boot server elsewhere
  if (boot.unknownObstacle === null || driver.boot.prepareRamdisk === undefined) return;
  const otherwise = ports.length === 0 ? ', or create the port of the card that the machine boots from' : '';
  throw fault('Invalid', {
    reason: `No server boots the machine for its inspection. The daemon answers its DHCP requests, but ${boot.unknownObstacle}${otherwise}.`,
  });
}

async function bootFromNetwork(task: Task): Promise<void> {
  const stays = task.node.disable_power_off;
  if (!stays) await task.setPower('power off');
  await task.driver.management.setBootDevice(task, 'pxe', false);
  await task.setPower(stays ? 'rebooting' : 'power on');
}

function end(task: Task): Promise<void> {
  return leaveInspection(task, () => powerOffInspected(task));
}

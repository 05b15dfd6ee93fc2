// Makes the machine of a task boot the instance on its disk.
import { driverInfoText } from '../driver-info.ts';
import { reasonOf } from '../../model/faults.ts';
import { stateFacts } from '../../model/states/provision-states.ts';
import type { Task } from '../task.ts';
import { expectedBootMode } from './boot-mode.ts';

/**
 * Sets the disk as boot device from now on, or for the next boot only if driver_info/force_persistent_boot_device is Never. After
 * a deployment in UEFI mode, a BMC that cannot set it is only warned of: the firmware boots the entry that the agent has added to
 * its boot order.
 */
export async function bootFromDisk(task: Task): Promise<void> {
  const { node } = task;
  const hasBootEntry = stateFacts(node).work === 'deploy' && expectedBootMode(task) === 'uefi';
  // Lenovo machines drop the agent's boot entry when the BMC sets a boot device
  const { vendor } = node.properties;
  if (hasBootEntry && typeof vendor === 'string' && vendor.toLowerCase() === 'lenovo') return;
  const persistent =
    driverInfoText(node, 'force_persistent_boot_device', 'Default').toLowerCase() !== 'never';
  try {
    await task.driver.management.setBootDevice(task, 'disk', persistent);
  } catch (error) {
    if (!hasBootEntry) throw error;
    task.log.warn(
      { reason: reasonOf(error) },
      'the BMC could not set the boot device; the UEFI boot order decides',
    );
  }
}

// Reads and sets the device that a machine boots from.
import type { BootDevice } from '../../model/machine/boot-devices.ts';
import { fault } from '../../model/faults.ts';
import { openTask, withTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';
import { onInterface } from './on-interface.ts';
import type { HardwareServices } from './services.ts';

/** Asks the driver without validating the node first. */
export function supportedBootDevices(
  context: Call<HardwareServices>,
  uuid: string,
): Promise<readonly BootDevice[]> {
  const task = openTask(context, uuid);
  return task.driver.management.supportedBootDevices(task.view);
}

export const getBootDevice = onInterface('management', 'getBootDevice', 'get_boot_device', { lock: true });

export function setBootDevice(
  context: Call<HardwareServices>,
  uuid: string,
  { device, persistent }: { readonly device: BootDevice; readonly persistent: boolean },
): Promise<void> {
  return withTask(context, uuid, async (task) => {
    const { management } = task.driver;
    await management.validate(task.view);
    const supported = await management.supportedBootDevices(task.view);
    if (!supported.includes(device)) {
      throw fault('InvalidParameter', {
        name: 'boot_device',
        reason: `the ${task.node.management_interface} management interface does not support ${device}. Supported: ${supported.join(', ')}`,
      });
    }
    await management.setBootDevice(task.view, device, persistent);
  });
}

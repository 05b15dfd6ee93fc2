// The device that a machine boots from.
import type { BootDevice } from '../../model/machine/boot-devices.ts';
import { fault } from '../../model/faults.ts';
import type { BootDeviceSetting } from '../../plugin-api/index.ts';
import { nodeOrFault, withTask } from '../tasks/run-task.ts';
import type { Caller, Services } from '../services.ts';
import { NodeTask } from '../tasks/task.ts';

export function supportedBootDevices(
  services: Services,
  caller: Caller,
  uuid: string,
): Promise<readonly BootDevice[]> {
  const task = new NodeTask(services, nodeOrFault(services, uuid), caller);
  return task.driver.management.supportedBootDevices(task.view);
}

export function getBootDevice(services: Services, caller: Caller, uuid: string): Promise<BootDeviceSetting> {
  return withTask(services, caller, uuid, async (task) => {
    await task.driver.management.validate(task.view);
    return task.driver.management.getBootDevice(task.view);
  });
}

export function setBootDevice(
  services: Services,
  caller: Caller,
  uuid: string,
  { device, persistent }: { readonly device: BootDevice; readonly persistent: boolean },
): Promise<void> {
  return withTask(services, caller, uuid, async (task) => {
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

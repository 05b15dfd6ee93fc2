// Sets a boot device again before each power-on, on BMCs that keep a boot device for one boot only.
import { reasonOf, type Task } from '#plugin-api';
import { bootFrom, RENEWED_KEY, supportedBootDevices } from './boot-device.ts';

/** Never throws: the machine may have another way to boot. */
export async function renewBootDevice(task: Task): Promise<void> {
  const known = task.node.driver_internal_info[RENEWED_KEY];
  const device = supportedBootDevices.find((each) => each === known);
  if (device === undefined) return;
  try {
    await bootFrom(task, device, { isPersistent: true, url: undefined });
  } catch (error) {
    task.log.warn({ device, reason: reasonOf(error) }, 'could not set the boot device again');
  }
}

// Sets a boot device again before each power-on, on BMCs that keep a boot device for one boot only.
import { reasonOf, type Task } from '#plugin-api';
import { bootFromRenewed } from './boot-device.ts';

/** Never throws: the machine may have another way to boot. */
export async function renewBootDevice(task: Task): Promise<void> {
  try {
    await bootFromRenewed(task);
  } catch (error) {
    task.log.warn({ reason: reasonOf(error) }, 'could not set the boot device again');
  }
}

// Waits for a change that takes effect when the machine boots.
import { fault, reasonOf, type Task } from '#plugin-api';
import { redfishOptions } from '../options.ts';

const POLL_MILLISECONDS = 15_000;

/**
 * Waits until `isThere` says that a change is in effect, and reboots the machine for the change if necessary; afterwards the
 * machine is on or off as before. `what`: the change, for messages. Throws InvalidState when the change is not in effect within
 * [redfish] boot_mode_config_timeout. If that option is 0, neither reboots the machine nor waits.
 */
export async function takenOver(task: Task, what: string, isThere: () => Promise<boolean>): Promise<void> {
  if (await isThere()) return;
  const { boot_mode_config_timeout: seconds } = redfishOptions(task);
  if (seconds === 0) return;
  const before = await task.driver.power.getPowerState(task);
  await task.setPower(before === 'power off' ? 'power on' : 'rebooting');
  const until = task.clock.monotonic() + seconds * 1000;
  while (!(await isThere().catch((error: unknown) => notYet(task, error)))) {
    if (task.clock.monotonic() >= until)
      throw fault('InvalidState', {
        reason: `${what} did not take effect within ${seconds} s of a reboot ([redfish] boot_mode_config_timeout)`,
      });
    await task.clock.sleep(POLL_MILLISECONDS);
  }
  if (before === 'power off') await task.setPower('power off');
}

function notYet(task: Task, error: unknown): false {
  task.log.debug({ reason: reasonOf(error) }, 'the BMC does not answer during a reboot');
  return false;
}

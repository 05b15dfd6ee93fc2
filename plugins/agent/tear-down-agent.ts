// The end of a ramdisk's work, before the instance boots: saves its logs if [agent] deploy_logs_collect asks for them, flushes
// file systems, and powers the machine off unless it must stay on or has loaded the kernel of its instance (kexec).
import { booleanOf, reachPowerState, reasonOf, type Task } from '#plugin-api';
import { agentOptions } from './options.ts';
import { stop } from './ramdisk-boot.ts';

export async function tearDownAgent(task: Task): Promise<void> {
  await task.ramdisk.saveLogs(null, false);
  // the ramdisk runs on until it starts that kernel
  if (await task.ramdisk.loadInstanceKernel()) return;
  if (task.driver.power.throughAgent === true) {
    // the ramdisk keeps running, because its agent still has to reboot the machine into the instance
    await task.ramdisk.agent.run('standby.sync', {});
    return;
  }
  if (task.node.disable_power_off) {
    await task.ramdisk.agent.run('system.lockdown', {});
    return;
  }
  const { deploy_forces_oob_reboot: given } = task.node.driver_info;
  if ((typeof given === 'string' ? booleanOf(given) : given) === true)
    await task.ramdisk.agent.run('standby.sync', {});
  else await powerOffByItself(task);
  await stop(task);
}

async function powerOffByItself(task: Task): Promise<void> {
  const {
    post_deploy_get_power_state_retries: looks,
    post_deploy_get_power_state_retry_interval: pauseSeconds,
  } = agentOptions(task);
  try {
    await task.ramdisk.agent.start('standby.power_off', {});
    await reachPowerState(task, {
      wanted: 'power off',
      action: 'power_off of the ramdisk',
      until: task.clock.monotonic() + looks * pauseSeconds * 1000,
      longestPauseMilliseconds: pauseSeconds * 1000,
      read: () => task.driver.power.getPowerState(task),
    });
  } catch (error) {
    task.signal.throwIfAborted();
    task.log.warn(
      { reason: reasonOf(error) },
      'the ramdisk did not power the machine off; the BMC will do it',
    );
  }
}

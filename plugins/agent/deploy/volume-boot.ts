// Deployments of instances that boot from a volume: no ramdisk is booted and no image is written.
import { expectedBootMode, type Step, type Task } from '#plugin-api';
import { instanceSystem } from '../ramdisk-boot.ts';

const bootsFromVolume = async (task: Task): Promise<boolean> =>
  (await instanceSystem(task))?.kind === 'volume';

/** Whether the instance boots from a volume. Throws when the boot interface could not boot it. */
export async function checkVolumeBoot(task: Task): Promise<boolean> {
  const system = await instanceSystem(task);
  if (system?.kind !== 'volume') return false;
  await task.driver.boot.validate(task);
  await task.driver.boot.checkSystem?.(task, system);
  expectedBootMode(task);
  if (task.node.instance_info['configdrive'] !== undefined)
    task.log.warn({}, 'the config drive is ignored: nothing is written to the volume');
  return true;
}

/** The step, which does nothing when the instance boots from a volume. */
export const unlessFromVolume = (step: Step): Step => ({
  ...step,
  run: async (task, given) => ((await bootsFromVolume(task)) ? 'done' : step.run(task, given)),
});

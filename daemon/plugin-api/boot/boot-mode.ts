// How the machine of a task is to boot: by its node's capabilities, or else by [deploy] default_boot_mode.
import type { BootMode } from '../../model/machine/boot-modes.ts';
import { deployBootMode, diskLabel, secureBootWanted } from '../../model/machine/deploy-capabilities.ts';
import type { Task } from '../task.ts';

/** The part of a task that says how its machine is to boot. */
export type Asked = Pick<Task, 'node' | 'configuration'>;

const configured = ({ configuration }: Asked): unknown => configuration['deploy']?.['default_boot_mode'];

/** Returns UEFI when Secure Boot is wanted, otherwise the mode that the node or [deploy] names. Throws InvalidParameter. */
export const expectedBootMode = (task: Asked): BootMode => deployBootMode(task.node, configured(task));

/**
 * Sets the expected boot mode if the machine reports another mode and can change it. Warns when the machine does not report its
 * mode.
 */
export async function setExpectedBootMode(task: Task): Promise<void> {
  const { management } = task.driver;
  if (management.getBootMode === undefined || management.setBootMode === undefined) return;
  const wanted = expectedBootMode(task);
  const actual = await management.getBootMode(task);
  if (actual === null)
    task.log.warn({ wanted }, 'the BMC does not report the boot mode; the daemon does not change it');
  else if (actual !== wanted) await management.setBootMode(task, wanted);
}

/**
 * Whether the instance asks for Secure Boot, by a capability in `instance_info`. (The same capability in `properties` describes
 * how the machine is set up.) Throws InvalidParameter.
 */
export const instanceWantsSecureBoot = ({ node }: Pick<Task, 'node'>): boolean =>
  secureBootWanted({ ...node, properties: {} });

/** The partition table of the disk that the machine boots from. Throws InvalidParameter. */
export const expectedDiskLabel = (task: Asked): 'gpt' | 'msdos' => diskLabel(task.node, configured(task));

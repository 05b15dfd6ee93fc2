// Reads from a node's capabilities how its instance boots.
import { capabilityOf, fault, type Task } from '#plugin-api';
import { deployOptions } from './options.ts';

/** Returns the boot mode of the instance. Throws InvalidParameter. */
export function bootModeOf(task: Task): 'bios' | 'uefi' {
  if (capabilityOf(task.node, 'secure_boot') === 'true') return 'uefi';
  const mode = capabilityOf(task.node, 'boot_mode') ?? deployOptions(task).default_boot_mode;
  if (mode === 'bios' || mode === 'uefi') return mode;
  throw fault('InvalidParameter', {
    name: 'capability boot_mode',
    reason: `${JSON.stringify(mode)}; expected bios or uefi`,
  });
}

/** Returns the partition table type of the instance disk. Throws InvalidParameter. */
export function diskLabelOf(task: Task): 'gpt' | 'msdos' {
  const label = capabilityOf(task.node, 'disk_label') ?? (bootModeOf(task) === 'uefi' ? 'gpt' : 'msdos');
  if (label === 'gpt' || label === 'msdos') return label;
  throw fault('InvalidParameter', {
    name: 'capability disk_label',
    reason: `${JSON.stringify(label)}; expected gpt or msdos`,
  });
}

// How the instance of a node boots, by its capabilities and the options.
import { deployBootMode, diskLabel, type BootMode, type Task } from '#plugin-api';
import { deployOptions } from './options.ts';

/** Throws InvalidParameter. */
export const bootModeOf = (task: Task): BootMode =>
  deployBootMode(task.node, deployOptions(task).default_boot_mode);

/** Throws InvalidParameter. */
export const diskLabelOf = (task: Task): 'gpt' | 'msdos' =>
  diskLabel(task.node, deployOptions(task).default_boot_mode);

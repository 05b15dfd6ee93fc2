// Kernel parameters of systems that a boot interface boots.
import { fault } from '../../model/faults.ts';
import {
  type KernelParameters,
  kernelParametersFlaw,
  parseKernelParameters,
} from '../../model/machine/kernel-parameters.ts';
import { driverInfoText, invalidDriverInfo } from '../driver-info.ts';
import type { BootSystem, Task } from '../task.ts';

const NAME = 'kernel_append_params';
const WORDS = 'words such as NAME or NAME=VALUE';

/** Returns the parameters for ramdisks with the agent. Throws like `appendedParameters`. */
export function ramdiskParameters(task: Task, usual: string): KernelParameters {
  const debug = task.configuration['DEFAULT']?.['debug'] === true;
  return {
    selinux: '0',
    troubleshoot: '0',
    text: null,
    ...appendedParameters(task, usual),
    ...(debug && { 'ipa-debug': '1' }),
  };
}

/**
 * Returns the system with `appendedParameters` added; the system's own parameters take precedence. A CD image or a
 * volume is returned unchanged, because it contains its parameters. Throws like `appendedParameters`.
 */
export const withAppendedParameters = (task: Task, system: BootSystem, usual: string): BootSystem =>
  system.kind === 'kernel'
    ? { ...system, parameters: { ...appendedParameters(task, usual), ...system.parameters } }
    : system;

/**
 * Returns the parameters in `instance_info`, else those in `driver_info`, else `usual`. In the two fields, `%default%` is
 * replaced by `usual`. Throws InvalidParameter (`instance_info`) or DriverInfoInvalid (`driver_info`) when the parameters are not
 * words, or when a boot loader would change them.
 */
export function appendedParameters(task: Task, usual: string): KernelParameters {
  const ofInstance = task.node.instance_info[NAME];
  const text =
    typeof ofInstance === 'string' && ofInstance !== '' ? ofInstance : driverInfoText(task.node, NAME, usual);
  const given = text.replaceAll('%default%', usual);
  const parsed = text !== usual && /\p{Cc}/u.test(text) ? undefined : parseKernelParameters(given);
  const flaw = parsed === undefined ? `expected ${WORDS}` : kernelParametersFlaw(parsed);
  if (parsed !== undefined && flaw === undefined) return parsed;
  throw text === ofInstance
    ? fault('InvalidParameter', { name: `instance_info/${NAME}`, reason: `${text}; ${flaw}` })
    : invalidDriverInfo(
        task.node,
        NAME,
        parsed === undefined ? WORDS : `parameters that every boot loader can pass on; but ${flaw}`,
      );
}

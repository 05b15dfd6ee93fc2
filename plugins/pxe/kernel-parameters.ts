// Kernel parameters that every ramdisk gets when it is booted from the network.
import {
  driverInfoText,
  invalidDriverInfo,
  type KernelParameters,
  optionsIn,
  parseKernelParameters,
  type Task,
} from '#plugin-api';
import manifest from './plugin.json' with { type: 'json' };

const options = optionsIn(manifest, 'pxe');

/** Throws DriverInfoInvalid when the node's own are not words such as NAME or NAME=VALUE. */
export function kernelParameters(task: Task): KernelParameters {
  const usual = options(task).kernel_append_params;
  const text = driverInfoText(task.node, 'kernel_append_params', usual).replaceAll('%default%', usual);
  const parsed = parseKernelParameters(text);
  if (parsed === undefined)
    throw invalidDriverInfo(task.node, 'kernel_append_params', 'words such as NAME or NAME=VALUE');
  const debug = task.configuration['DEFAULT']?.['debug'] === true;
  return { selinux: '0', troubleshoot: '0', text: null, ...parsed, ...(debug && { 'ipa-debug': '1' }) };
}

// Kernel parameters of systems that machines boot from the network.
import {
  driverInfoText,
  fault,
  invalidDriverInfo,
  type KernelParameters,
  optionsIn,
  parseKernelParameters,
  type Task,
} from '#plugin-api';
import manifest from './plugin.json' with { type: 'json' };

const options = optionsIn(manifest, 'pxe');
const NAME = 'kernel_append_params';
const WORDS = 'words such as NAME or NAME=VALUE';

/** Returns the parameters of ramdisks with the agent. Throws like `appendedParameters`. */
export function ramdiskParameters(task: Task): KernelParameters {
  const debug = task.configuration['DEFAULT']?.['debug'] === true;
  return {
    selinux: '0',
    troubleshoot: '0',
    text: null,
    ...appendedParameters(task),
    ...(debug && { 'ipa-debug': '1' }),
  };
}

/**
 * Returns the parameters that the instance, the node or the configuration adds. Throws InvalidParameter or
 * DriverInfoInvalid when they are not words.
 */
export function appendedParameters(task: Task): KernelParameters {
  const usual = options(task).kernel_append_params;
  const ofInstance = task.node.instance_info[NAME];
  const text =
    typeof ofInstance === 'string' && ofInstance !== '' ? ofInstance : driverInfoText(task.node, NAME, usual);
  const given = text.replaceAll('%default%', usual);
  const parsed = text !== usual && /\p{Cc}/u.test(text) ? undefined : parseKernelParameters(given);
  if (parsed !== undefined) return parsed;
  throw text === ofInstance
    ? fault('InvalidParameter', { name: `instance_info/${NAME}`, reason: `${text}; expected ${WORDS}` })
    : invalidDriverInfo(task.node, NAME, WORDS);
}

// Kernel command lines for boot scripts.
import { fault } from '../../model/faults.ts';
import {
  type KernelParameters,
  kernelParametersFlaw,
  kernelText,
} from '../../model/machine/kernel-parameters.ts';

/**
 * Returns the parameters as text: words in their order, `NAME`, `NAME=VALUE` or `NAME="VALUE"`. iPXE, pxelinux and isolinux take
 * the text as it is. Throws InvalidParameter for parameters that a boot loader would change; `source` says where they are from.
 */
export function commandLine(parameters: KernelParameters, source: string): string {
  const flaw = kernelParametersFlaw(parameters);
  if (flaw !== undefined) throw fault('InvalidParameter', { name: source, reason: flaw });
  return kernelText(parameters);
}

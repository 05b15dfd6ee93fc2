// The boot mode that a node's machine is expected to boot in.
import { type BootMode, capabilityOf, fault, type Task } from '#plugin-api';

/** By capability, or else [deploy] default_boot_mode; Secure Boot needs UEFI. Throws InvalidParameter. */
export function expectedBootMode({ node, configuration }: Task): BootMode {
  if (capabilityOf(node, 'secure_boot') === 'true') return 'uefi';
  const mode = capabilityOf(node, 'boot_mode') ?? configuration['deploy']?.['default_boot_mode'];
  if (mode === 'bios' || mode === 'uefi') return mode;
  throw fault('InvalidParameter', {
    name: 'capability boot_mode',
    reason: `${JSON.stringify(mode)}; expected bios or uefi`,
  });
}

// What the capabilities of a node say of its instance: boot mode, Secure Boot and partition table.
import { fault } from '../faults.ts';
import type { Node } from '../records/node.ts';
import type { BootMode } from './boot-modes.ts';
import { capabilityOf } from './capabilities.ts';

/**
 * Returns the boot mode of the instance: UEFI for Secure Boot, else what `instance_info`, `properties` or `configured` (the
 * option [deploy] default_boot_mode) names. Throws InvalidParameter.
 */
export function deployBootMode(node: Node, configured: unknown): BootMode {
  if (secureBootWanted(node)) return 'uefi';
  const ofInstance =
    capabilityOf({ ...node, properties: {} }, 'boot_mode') ?? node.instance_info['deploy_boot_mode'];
  const mode = ofInstance ?? capabilityOf(node, 'boot_mode') ?? configured;
  if (mode === 'bios' || mode === 'uefi') return mode;
  throw wrong('boot_mode', mode, 'bios or uefi');
}

/** Whether the capability `secure_boot` is true. Throws InvalidParameter if its value is neither true nor false. */
export function secureBootWanted(node: Node): boolean {
  const wanted = (capabilityOf(node, 'secure_boot') ?? 'false').toLowerCase();
  if (wanted === 'true' || wanted === 'false') return wanted === 'true';
  throw wrong('secure_boot', wanted, 'true or false');
}

/** Returns the type of the partition table. Throws InvalidParameter. */
export function diskLabel(node: Node, configuredBootMode: unknown): 'gpt' | 'msdos' {
  const label =
    capabilityOf(node, 'disk_label') ??
    (deployBootMode(node, configuredBootMode) === 'uefi' ? 'gpt' : 'msdos');
  if (label === 'gpt' || label === 'msdos') return label;
  throw wrong('disk_label', label, 'gpt or msdos');
}

const wrong = (name: string, value: unknown, expected: string) =>
  fault('InvalidParameter', {
    name: `capability ${name}`,
    reason: `${JSON.stringify(value)}; expected ${expected}`,
  });

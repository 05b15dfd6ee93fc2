// The boot mode in which a boot device applies.
import { capabilityOf, type Node } from '#plugin-api';

/**
 * Returns the node's recorded boot mode, or else the one in its capabilities, or else uefi. Throws InvalidParameter when the
 * capabilities in `instance_info` are malformed.
 */
export function bootModeOf(node: Node): 'bios' | 'uefi' {
  const mode = node.boot_mode ?? capabilityOf(node, 'boot_mode');
  return mode === 'bios' ? 'bios' : 'uefi';
}

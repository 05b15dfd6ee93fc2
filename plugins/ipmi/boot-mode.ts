// The boot mode to set a boot device for.
import { isJsonObject, type Json, type Node } from '#plugin-api';

/** Returns the node's recorded boot mode, or else that of its capabilities, or else uefi. */
export function bootModeOf(node: Node): 'bios' | 'uefi' {
  const modes = [
    node.boot_mode,
    capability(node.instance_info['capabilities'], 'boot_mode'),
    capability(node.properties['capabilities'], 'boot_mode'),
  ];
  return modes.find((mode) => mode === 'bios' || mode === 'uefi') ?? 'uefi';
}

/** Capabilities are an object, its JSON, or `name:value,name:value`. */
function capability(capabilities: Json | undefined, name: string): Json | undefined {
  if (isJsonObject(capabilities)) return capabilities[name];
  if (typeof capabilities !== 'string') return undefined;
  const parsed = parse(capabilities);
  if (isJsonObject(parsed)) return parsed[name];
  const pairs = capabilities.split(',').map((pair) => pair.trim().split(':', 2));
  return pairs.find(([key]) => key === name)?.[1];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

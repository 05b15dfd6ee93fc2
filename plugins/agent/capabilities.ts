// Reads from a node's capabilities how its instance boots.
import { fault, isJsonObject, type Json, type Node, type Task } from '#plugin-api';

/** Capabilities are text such as `boot_mode:uefi` in `properties`, and an object or its JSON in `instance_info`. */
function capability(node: Node, name: string): Json | undefined {
  return (
    fromObject(node.instance_info['capabilities'])[name] ??
    fromText(node.properties['capabilities']).get(name)
  );
}

function fromObject(given: Json | undefined): Readonly<Record<string, Json>> {
  if (given === undefined || given === null) return {};
  const read = typeof given === 'string' ? parsed(given) : given;
  if (isJsonObject(read)) return read;
  throw fault('InvalidParameter', {
    name: 'instance_info/capabilities',
    reason: 'expected an object, for example {"boot_mode": "uefi"}',
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const fromText = (given: Json | undefined) =>
  new Map(
    (typeof given === 'string' ? given.split(',') : []).map((pair): [string, string] => {
      const [name = '', ...value] = pair.split(':');
      return [name.trim(), value.join(':').trim()];
    }),
  );

/** Returns the boot mode of the instance. Throws InvalidParameter. */
export function bootModeOf({ node, configuration }: Task): 'bios' | 'uefi' {
  const secure = capability(node, 'secure_boot');
  if (secure === true || secure === 'true') return 'uefi';
  const mode = capability(node, 'boot_mode') ?? configuration['deploy']?.['default_boot_mode'];
  if (mode === 'bios' || mode === 'uefi') return mode;
  throw fault('InvalidParameter', {
    name: 'capability boot_mode',
    reason: `${JSON.stringify(mode)}; expected bios or uefi`,
  });
}

/** Returns the partition table type of the instance disk. Throws InvalidParameter. */
export function diskLabelOf(task: Task): 'gpt' | 'msdos' {
  const label = capability(task.node, 'disk_label') ?? (bootModeOf(task) === 'uefi' ? 'gpt' : 'msdos');
  if (label === 'gpt' || label === 'msdos') return label;
  throw fault('InvalidParameter', {
    name: 'capability disk_label',
    reason: `${JSON.stringify(label)}; expected gpt or msdos`,
  });
}

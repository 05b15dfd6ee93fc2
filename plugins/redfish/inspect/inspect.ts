// The inspect interface `redfish`: reads the machine's hardware from its BMC without booting anything; hooks process the result.
import { capabilityOf, defineInspect, fault, type JsonObject, type Task, withCapability } from '#plugin-api';
import { converse } from '../bmc/converse.ts';
import { bmcConnectionOf, connectionProperties } from '../bmc/connection.ts';
import { textIn } from '../bmc/fields.ts';
import { type Inventory, inventoryOf } from './inventory.ts';
import { redfishLimits } from '../limits.ts';

const GIBIBYTE = 1024 ** 3;
/** Smaller devices do not count as disks for a deployment. */
const SMALLEST_DISK_BYTES = 4 * GIBIBYTE;

export const redfishInspect = defineInspect({
  properties: connectionProperties,
  validate(task) {
    bmcConnectionOf(task);
  },
  hooks: { section: 'redfish', option: 'inspection_hooks' },
  async inspectHardware(task) {
    const { inventory, lldp, unread, areAllCards } = await converse(
      task,
      { operation: 'Inspecting the machine', length: 10 },
      (bmc) => inventoryOf(bmc, task.log, task.ports),
    );
    if (unread.length > 0) await task.addNote(`The BMC does not show ${briefly(unread)}.`);
    refuseUnknown(task, inventory);
    const properties = { ...task.node.properties, ...propertiesOf(task, inventory) };
    await task.update({ properties });
    if (inventory.interfaces.length === 0)
      throw fault('Invalid', {
        reason: `the BMC of node ${task.node.uuid} shows no MAC address of the machine; create a port for the node, or inspect it with the agent`,
      });
    return {
      inventory: { ...inventory },
      pluginData: {
        ...(Object.keys(lldp).length > 0 && { parsed_lldp: lldp }),
        ...(unread.length > 0 && { unread: [...unread] }),
        ...(unread.length === 0 && !areAllCards && { unread: ['network cards'] }),
      },
    };
  },
});

/** The first few of the lines: an inspection can lack many parts for one reason. */
function briefly(lines: readonly string[]): string {
  const more = lines.length - redfishLimits.noteLines;
  const shown = lines
    .slice(0, redfishLimits.noteLines)
    .map((line) => line.slice(0, redfishLimits.noteLineCharacters));
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more, which the log names` : ''}`;
}

/** Throws Invalid when neither the BMC nor the operator has told the memory or the architecture. */
function refuseUnknown({ node }: Task, { memory, cpu }: Inventory): void {
  const { memory_mb = null, cpu_arch = null } = node.properties;
  const lacking = [
    ...(memory.physical_mb === null && memory_mb === null ? ['memory_mb'] : []),
    ...(cpu.architecture === null && (cpu_arch === null || cpu_arch === '') ? ['cpu_arch'] : []),
  ];
  if (lacking.length === 0) return;
  const what = lacking.map((name) => reported[name]).join(' and ');
  const hint = lacking.map((name) => `properties/${name}`).join(' and ');
  throw fault('Invalid', {
    reason: `the BMC of node ${node.uuid} does not report ${what}; set ${hint}, or inspect the node with the agent`,
  });
}

const reported: Readonly<Record<string, string>> = { memory_mb: 'the memory', cpu_arch: 'the architecture' };

/** The properties that the BMC reports. Where it shows no disks, those of the operator stand. */
function propertiesOf({ node }: Task, { memory, disks, boot, cpu }: Inventory): JsonObject {
  const { local_gb = 0, capabilities } = node.properties;
  const sizes = disks.map(({ size }) => size).filter((size) => size >= SMALLEST_DISK_BYTES);
  const mode = boot.current_boot_mode;
  return {
    ...(memory.physical_mb !== null && { memory_mb: memory.physical_mb }),
    ...(cpu.architecture !== null && { cpu_arch: cpu.architecture }),
    local_gb: sizes.length > 0 ? Math.floor(Math.min(...sizes) / GIBIBYTE) - 1 : local_gb,
    ...(mode !== undefined &&
      capabilityOf(node, 'boot_mode') === undefined && {
        capabilities: withCapability(textIn(capabilities) ?? '', 'boot_mode', mode),
      }),
  };
}

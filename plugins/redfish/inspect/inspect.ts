// The inspect interface `redfish`: reads the machine's hardware from its BMC without booting anything; hooks process the result.
import { capabilityOf, defineInspect, fault, type JsonObject, type Task, withCapability } from '#plugin-api';
import { converse } from '../bmc/converse.ts';
import { connectionOf, connectionProperties } from '../bmc/connection.ts';
import { textIn } from '../bmc/fields.ts';
import { inventoryOf, type Inventory } from './inventory.ts';

const GIBIBYTE = 1024 ** 3;
/** Smaller devices do not count as disks for a deployment. */
const SMALLEST_DISK_BYTES = 4 * GIBIBYTE;

export const redfishInspect = defineInspect({
  properties: connectionProperties,
  validate(task) {
    connectionOf(task);
  },
  hooks: { section: 'redfish', option: 'inspection_hooks' },
  async inspectHardware(task) {
    const { inventory, lldp } = await converse(
      task,
      { operation: 'Inspecting the machine', length: 10 },
      (bmc) => inventoryOf(bmc, task.log),
    );
    const properties = { ...task.node.properties, ...propertiesOf(task, inventory) };
    await task.update({ properties });
    return {
      inventory: { ...inventory },
      ...(Object.keys(lldp).length > 0 && { pluginData: { parsed_lldp: lldp } }),
    };
  },
});

/** Throws Invalid when the BMC does not report memory or architecture. */
function propertiesOf(task: Task, { memory, disks, boot, cpu }: Inventory): JsonObject {
  const sizes = disks.map(({ size }) => size).filter((size) => size >= SMALLEST_DISK_BYTES);
  const lacking = [
    ...(memory.physical_mb === 0 ? ['the memory'] : []),
    ...(cpu.architecture === '' ? ['the architecture'] : []),
  ];
  if (lacking.length > 0)
    throw fault('Invalid', {
      reason: `the BMC of node ${task.node.uuid} does not report ${lacking.join(' and ')}`,
    });
  const mode = boot.current_boot_mode;
  return {
    memory_mb: memory.physical_mb,
    cpu_arch: cpu.architecture,
    local_gb: sizes.length === 0 ? 0 : Math.floor(Math.min(...sizes) / GIBIBYTE) - 1,
    ...(mode !== undefined &&
      capabilityOf(task.node, 'boot_mode') === undefined && {
        capabilities: withCapability(textIn(task.node.properties['capabilities']) ?? '', 'boot_mode', mode),
      }),
  };
}

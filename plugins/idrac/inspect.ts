// The inspect interface `idrac-redfish`: the serial number of a Dell server is its service tag.
import { extendInterface, type InspectResult, isJsonObject } from '#plugin-api';

export const idracInspect = extendInterface('inspect', 'redfish', (redfish) => ({
  ...redfish,
  inspectHardware: async (task) => withServiceTag(await redfish.inspectHardware(task)),
}));

function withServiceTag(result: InspectResult): InspectResult {
  if (typeof result === 'string') return result;
  const { system_vendor: vendor } = result.inventory;
  if (!isJsonObject(vendor) || typeof vendor['sku'] !== 'string') return result;
  const system_vendor = { ...vendor, serial_number: vendor['sku'] };
  return { ...result, inventory: { ...result.inventory, system_vendor } };
}

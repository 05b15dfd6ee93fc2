// Reads a boolean driver_info field.
import { booleanOf, driverInfoText, invalidDriverInfo, type Node } from '#plugin-api';

/** Returns a boolean or one of Ironic's words for it; `otherwise` when absent. Throws DriverInfoInvalid. */
export function driverInfoFlag(node: Node, name: string, otherwise: boolean): boolean {
  const value = node.driver_info[name];
  if (typeof value === 'boolean') return value;
  const flag = booleanOf(driverInfoText(node, name, String(otherwise)));
  if (flag === undefined) throw invalidDriverInfo(node, name, 'true or false');
  return flag;
}

// Reads a boolean driver_info field.
import { driverInfoText, invalidDriverInfo, type Node } from '#plugin-api';

const words: Readonly<Record<string, boolean>> = Object.fromEntries([
  ...['1', 't', 'true', 'on', 'y', 'yes'].map((word) => [word, true]),
  ...['0', 'f', 'false', 'off', 'n', 'no'].map((word) => [word, false]),
]);

/** Returns a boolean or one of Ironic's words for it; `otherwise` when absent. Throws DriverInfoInvalid. */
export function driverInfoFlag(node: Node, name: string, otherwise: boolean): boolean {
  const value = node.driver_info[name];
  if (typeof value === 'boolean') return value;
  const flag = words[driverInfoText(node, name, String(otherwise)).toLowerCase()];
  if (flag === undefined) throw invalidDriverInfo(node, name, 'true or false');
  return flag;
}

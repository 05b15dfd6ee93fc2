// The fault for an operation that a node's driver does not have, with the way to an interface that has it.
import { type Fault, fault } from '../../model/faults.ts';
import { interfaceField, type InterfaceType } from '../../model/machine/interface-types.ts';
import { permissionIn } from '../../model/states/provision-states.ts';
import type { Driver } from '../../plugin-api/index.ts';
import type { HardwareTask } from './services.ts';

/** The operation that is missing, and the type of the interfaces that may have it. */
export type Missing<T extends InterfaceType> = readonly [T, keyof Driver[T]];

/** `extension`: the name of the missing operation in the message, such as `vif_attach`. */
export function unsupported<T extends InterfaceType>(
  task: HardwareTask,
  extension: string,
  missing?: Missing<T>,
): Fault {
  const way = missing === undefined ? '' : wayTo(task, missing);
  return fault('UnsupportedDriverExtension', { driver: task.node.driver, extension: `${extension}${way}` });
}

/**
 * Returns a text that continues `does not support VIFs` and ends without a full stop: it names the node's interface and the command
 * that chooses an enabled one that has the operation. Empty if the node's driver has no such interface.
 */
export function wayTo<T extends InterfaceType>(
  { node, services }: HardwareTask,
  [type, member]: Missing<T>,
): string {
  const { registry } = services;
  const field = interfaceField(type);
  const able = registry.hardwareTypes.get(node.driver)?.enabled[type].filter((name) => {
    const found = registry.interfaces.get(`${type}:${name}`) as Driver[T] | undefined;
    return name !== node[field] && found?.[member] !== undefined;
  });
  if (able === undefined || able.length === 0) return '';
  const label = node.name ?? node.uuid;
  const set = `baremetal node set ${label} --${field.replace('_', '-')} ${able.join('|')}`;
  const mayChange = permissionIn(node.provision_state, 'reconfigure') === true || node.maintenance;
  const commands = mayChange
    ? set
    : `baremetal node maintenance set ${label}; ${set}; baremetal node maintenance unset ${label}`;
  return ` with ${field} ${node[field] ?? ''}. Another one does: ${commands}`;
}

// The fault for an operation that a node's driver does not have.
import { type Fault, fault } from '../../model/faults.ts';
import type { NodeTask } from '../tasks/task.ts';

/** `extension`: the name of the missing operation in the message, such as `vif_attach`. */
export function unsupported({ node }: NodeTask, extension: string): Fault {
  return fault('UnsupportedDriverExtension', { driver: node.driver, extension });
}

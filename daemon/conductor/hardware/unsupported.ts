// The fault for an operation that a node's driver does not have.
import { type Fault, fault } from '../../model/faults.ts';
import type { NodeTask } from '../tasks/task.ts';

/** `extension`: the missing operation, for the message: `vif_attach`. */
export function unsupported({ node }: NodeTask, extension: string): Fault {
  return fault('UnsupportedDriverExtension', { driver: node.driver, extension });
}

// The refusal of what a node's driver has no operation for.
import { type Fault, fault } from '../model/faults.ts';
import type { NodeTask } from './task.ts';

/** `extension`: what the driver lacks. */
export function unsupported({ node }: NodeTask, extension: string): Fault {
  return fault('UnsupportedDriverExtension', { driver: node.driver, extension });
}

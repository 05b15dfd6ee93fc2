// Where machines come from.
import type { Node } from '../../../model/records/node.ts';
import type { Service } from './ironic-service.ts';
import type { MovedMachine, Maintenance } from './machine.ts';

export interface MoveSource {
  /** The source's name in messages: its URL, or `ironic-edge`. */
  readonly name: string;
  /** The API for records that belong to the site and not to a machine. */
  readonly service: Pick<Service, 'api' | 'minor'>;
  /** Returns all machines, or those that are named; a parent comes before its child nodes. */
  list(named: readonly string[]): Promise<readonly Pick<Node, 'uuid' | 'name'>[]>;
  read(uuid: string): Promise<MovedMachine>;
  /**
   * Makes the source leave the machine alone: it neither enforces the power state of the machine nor boots it. Can be repeated.
   */
  setAside(uuid: string): Promise<void>;
  /** Undoes `setAside`. */
  takeBack(uuid: string, before: Maintenance): Promise<void>;
}

// The contract of network interfaces, which connect nodes to virtual networks.
import type { JsonObject } from '../../model/json.ts';
import type { Task } from '../task.ts';
import type { DriverInterface } from './driver-interface.ts';

/** A virtual network interface (VIF). Members other than `id` are for the network interface only. */
export interface Vif extends JsonObject {
  readonly id: string;
}

export interface NetworkInterface extends DriverInterface {
  /**
   * Set when VIFs are only to be recorded: the daemon records each VIF at one of the node's ports, and does not call the
   * operations.
   */
  readonly recordsVifs?: true;
  /** Returns the node's VIFs. Needs no lock. */
  listVifs?(task: Task): Promise<readonly Vif[]>;
  /** Throws InvalidState when the VIF is already attached, Invalid when no port is free. */
  attachVif?(task: Task, vif: Vif): Promise<void>;
  /** Throws Invalid when the VIF is not attached. */
  detachVif?(task: Task, id: string): Promise<void>;
}

export const defineNetwork = (network: NetworkInterface): NetworkInterface => network;

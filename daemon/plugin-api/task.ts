// What a driver interface is given to work with.
import type { Logger } from '../lib/logger.ts';
import type { KernelParameters } from '../model/kernel-parameters.ts';
import type { Node } from '../model/node.ts';
import type { Port } from '../model/port.ts';
import type { PowerTarget } from '../model/power-states.ts';
import type { Agent } from './agent.ts';
import type { Dhcp } from './dhcp.ts';
import type { Driver } from './interfaces.ts';

/** Fields of the node that an interface may change; everything else belongs to the conductor. */
export type DriverChanges = Partial<
  Pick<
    Node,
    | 'driver_internal_info'
    | 'properties'
    | 'instance_info'
    | 'boot_mode'
    | 'secure_boot'
    | 'raid_config'
    | 'health'
  >
>;

/**
 * One unit of work on one node. The node is locked for the task's lifetime unless the operation's description says
 * otherwise; nobody else changes it meanwhile.
 */
export interface Task {
  /** The node as it is now; replaced, never mutated. Secrets in `driver_info` are in clear. */
  readonly node: Node;
  readonly ports: readonly Port[];
  readonly driver: Driver;
  /** The agent that the node's last heartbeat came from. */
  readonly agent: Agent;
  /** Tells the machine over DHCP what to boot. */
  readonly dhcp: Dhcp;
  /** What every ramdisk is told on its kernel's command line. */
  readonly ramdiskParameters: KernelParameters;
  /** The ramdisk with the agent runs already and may be used without booting it anew. */
  readonly fastTrack: boolean;
  /** A ramdisk that runs is left running for what comes next. */
  readonly keepsRamdisk: boolean;
  readonly log: Logger;
  /** Aborts when the work is no longer wanted (the daemon stops, an operator aborts). */
  readonly signal: AbortSignal;
  /** Values of the configuration sections that the plugin's manifest declares, and of Ironic's own sections. */
  readonly configuration: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Milliseconds since the epoch, for what is stored and shown. An administrator or time server may set this clock. */
  now(): number;
  /** Milliseconds from some start on a clock that nobody sets: for deadlines and durations. */
  monotonic(): number;
  /** Resolves after `milliseconds`, rejects when the task is aborted. */
  sleep(milliseconds: number): Promise<void>;
  /** Calls `action` after `milliseconds`; the result cancels that. */
  after(milliseconds: number, action: () => void): () => void;
  /** Stores the changes before it returns; a crash after that does not lose them. */
  update(changes: DriverChanges): void;
  /** Adds ports for MAC addresses that no port has yet; invalid or known addresses are logged and skipped. */
  addPorts(addresses: readonly string[]): void;
  /** Changes the machine's power through the node's power interface, recorded like an operator's request. */
  setPower(target: PowerTarget): Promise<void>;
  /**
   * Keeps the logs of the running ramdisk when they are wanted; a file's name tells the `label` of what it was booted for,
   * unless for a deployment. That it cannot is logged, not thrown.
   */
  saveRamdiskLogs(label: string | null, failed: boolean): Promise<void>;
  /**
   * Runs `operation` when the BMC at `address` is free: one at a time, with the minimum gap between two, and not at all
   * while the BMC is known to be dead. Every conversation with a BMC goes through here.
   */
  withBmc<T>(
    address: string,
    options: BmcOptions,
    operation: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
}

export interface BmcOptions {
  /** Milliseconds that must lie between the end of one operation and the start of the next. */
  readonly minimumGap?: number;
  /** Milliseconds after which the operation's signal aborts and the call fails. */
  readonly deadline: number;
}

// What a provision state permits; declared in the table of states.
import type { StepPhase } from '../steps/step-phases.ts';

/** An operation with a node. `clean`: automated or manual cleaning. `tear down`: the removal of an instance. */
export type Work = StepPhase | 'inspect' | 'adopt' | 'tear down' | 'rescue' | 'unrescue';

export type StateClass = 'stable' | 'transient' | 'wait' | 'failed' | 'hold';

/**
 * What a state permits or forbids in addition to its verbs. `fast-track`: only if the node's agent is to keep running from one
 * flow, such as cleaning, to the next.
 */
export interface Permissions {
  /** The node may be patched even while a target provision state is set. */
  readonly update?: true;
  /** The node may be deleted without maintenance. `if-configured`: only with [conductor] allow_deleting_available_nodes. */
  readonly remove?: true | 'if-configured';
  /** `<type>_interface` and other fields that determine how the node is driven may be changed. */
  readonly reconfigure?: true;
  /** The connections of ports and portgroups may be changed. */
  readonly rewire?: true;
  /** Requests of API 1.39 or newer to change the node, its ports or its portgroups are refused. */
  readonly frozen?: true;
  /** A ramdisk may look the node up. */
  readonly lookup?: true | 'fast-track';
  /** `act`: a heartbeat may start the next step; `record`: its time and what it says of the agent are only stored. */
  readonly heartbeat?: 'act' | 'record' | 'fast-track';
  /** Power synchronization skips the node. */
  readonly unsynced?: true;
  /** Requests to change the power state are refused. */
  readonly powerLocked?: true;
  /** `protected` may be set. */
  readonly protect?: true;
  /** An allocation may take the node. */
  readonly allocate?: true;
  /**
   * An instance runs on the node. Clients can create an allocation for this node. They can delete the allocation only while the
   * node is in maintenance.
   */
  readonly inUse?: true;
  /** An inspection report from the ramdisk is expected. */
  readonly inspectionReport?: true;
  /** A rescue system is running on the machine or was about to be started. */
  readonly rescued?: true;
  /** The phase whose steps run, wait, hold or have failed in the state. */
  readonly steps?: StepPhase;
  /** The work without steps that runs, waits or has failed in the state. A rescue goes on until the node leaves it. */
  readonly work?: Exclude<Work, StepPhase>;
  /** The node counts towards the limit `[conductor] max_concurrent_clean` or `max_concurrent_deploy`. */
  readonly countsAs?: 'clean' | 'deploy';
}

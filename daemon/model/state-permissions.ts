// What a provision state permits, as the table of states says it.
import type { StepPhase } from './step-phases.ts';

export type StateClass = 'stable' | 'transient' | 'wait' | 'failed' | 'hold';

/** What the API permits in a state beyond its verbs. `fast-track` means: only while fast track is enabled. */
export interface Permissions {
  /** PATCH of the node although a target provision state is set. */
  readonly update?: true;
  /** DELETE of the node record without maintenance. */
  readonly remove?: true | 'if-configured';
  /** Change of `<type>_interface` fields and other fields that decide how the node is driven. */
  readonly reconfigure?: true;
  /** Change of how ports and portgroups are connected. */
  readonly rewire?: true;
  /** No change of the node, its ports and portgroups by clients that know of it (API 1.39). */
  readonly frozen?: true;
  readonly lookup?: true | 'fast-track';
  /** `act`: the next step may start; `record`: only the agent's address and time are kept. */
  readonly heartbeat?: 'act' | 'record' | 'fast-track';
  /** Power synchronisation leaves the node alone. */
  readonly unsynced?: true;
  /** Operators may not change the power. */
  readonly powerLocked?: true;
  /** `protected` may be set. */
  readonly protect?: true;
  /** An allocation may take the node. */
  readonly allocate?: true;
  /** An instance runs on the node: its allocation may be recorded afterwards, and stays. */
  readonly inUse?: true;
  /** A ramdisk's inspection data is awaited. */
  readonly inspectionReport?: true;
  /** The machine may boot into the ramdisk that inspects it. */
  readonly inspectionBoot?: true;
  /** A rescue system is on the machine, or was to come. */
  readonly rescued?: true;
  /** The phase whose steps run, wait, hold or have failed in the state. */
  readonly steps?: StepPhase;
  /** The node counts towards the limit on how many are worked on so at once. */
  readonly countsAs?: 'clean' | 'deploy';
}

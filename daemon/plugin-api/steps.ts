// What a driver interface offers as steps of a flow, and what becomes of a step that was run.
import type { JsonObject } from '../model/json.ts';
import type { StepPhase } from '../model/step-phases.ts';
import type { Task } from './task.ts';

export interface StepArgument {
  readonly description: string;
  readonly required?: true;
}

/**
 * How a step ended. `wait`: it goes on in the ramdisk or the BMC, and `poll` or the ramdisk's heartbeat tells its end.
 * `reboot`: it takes effect when the machine has booted the ramdisk again; `reboot and repeat`: then it is run again.
 */
export type StepOutcome = 'done' | 'wait' | 'reboot' | 'reboot and repeat';

export interface Step {
  readonly description: string;
  /** Priority in each phase that offers the step: the higher runs first, 0 runs only on request. */
  readonly priorities: Readonly<Partial<Record<StepPhase, number>>>;
  /** An operator's abort may end it half-way. Deploy steps are, others are not, unless said here. */
  readonly abortable?: boolean;
  readonly arguments?: Readonly<Record<string, StepArgument>>;
  /** False: it works without a ramdisk on the machine. */
  readonly requiresRamdisk?: false;
  /** What is lost for ever, for those who plan before they act: `all data on all disks`. */
  readonly destroys?: string;
  /** Throws what ends the flow. The arguments have been checked against `arguments`. */
  run(task: Task, given: JsonObject): Promise<StepOutcome>;
  /** For a step that waits without a ramdisk: asked at intervals, also after a restart of the daemon. */
  readonly poll?: {
    readonly intervalSeconds: number;
    /** `wait`: ask again. Throws what ends the flow. */
    check(task: Task, given: JsonObject): Promise<StepOutcome>;
  };
}

// The steps that a driver interface offers for flows such as cleaning, and the outcomes of a step.
import type { JsonObject } from '../model/json.ts';
import type { StepPhase } from '../model/steps/step-phases.ts';
import type { Task } from './task.ts';

export interface StepArgument {
  readonly description: string;
  readonly required?: true;
}

/**
 * The outcome of a step. `wait`: the step still runs, until `poll`, `report` or the ramdisk's next heartbeat ends it.
 * `wait for agent`: the agent was given the step with `startStep` and reports its end; the flow fails if the ramdisk
 * reboots before that. `reboot`: the daemon reboots the machine, which completes the step. `reboot and repeat`: the
 * daemon reboots the machine and then runs the step again.
 */
export type StepOutcome = 'done' | 'wait' | 'wait for agent' | 'reboot' | 'reboot and repeat';

/** What an installer reports about itself, on a machine where no agent runs. */
export interface InstallerReport {
  readonly status: 'start' | 'end' | 'error';
  readonly message: string;
}

export interface Step {
  readonly description: string;
  /** Priority in each phase that offers the step: higher runs first, 0 runs only on request. */
  readonly priorities: Readonly<Partial<Record<StepPhase, number>>>;
  /** Whether an operator's abort may interrupt the step. Default: true for deploy steps, false for others. */
  readonly abortable?: boolean;
  readonly arguments?: Readonly<Record<string, StepArgument>>;
  /** False if the step works without a ramdisk on the machine. */
  readonly requiresRamdisk?: false;
  /** What the step destroys irrecoverably, shown in plans: `all data on all disks`. */
  readonly destroys?: string;
  /** Runs the step. `given` has been checked against `arguments`. If it throws, the flow fails. */
  run(task: Task, given: JsonObject): Promise<StepOutcome>;
  /** For a step whose end no ramdisk reports: called at intervals while the step waits, also after a restart of the daemon. */
  readonly poll?: {
    readonly intervalSeconds: number;
    /** Returns `wait` to be called again. If it throws, the flow fails. */
    check(task: Task, given: JsonObject): Promise<StepOutcome>;
  };
  /**
   * For a step that waits for an installer: called with each report that the installer sends to `/v1/heartbeat`. Returns
   * `wait` to be called again. A throw fails the flow.
   */
  report?(task: Task, given: JsonObject, report: InstallerReport): Promise<StepOutcome>;
}

// Commands to the agent in a machine's ramdisk.
import type { JsonObject } from '../model/json.ts';
import type { StepPhase } from '../model/steps/step-phases.ts';

/** The phases in which an agent offers steps. */
export type AgentPhase = Exclude<StepPhase, 'verify'>;

export interface AgentCommand {
  readonly id: string;
  /** The command's name without the agent's extension: `execute_clean_step` for `clean.execute_clean_step`. */
  readonly name: string;
  /** `VERSION_MISMATCH`: the agent's hardware managers have changed since it listed its steps. */
  readonly status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'VERSION_MISMATCH';
  /** The agent's reason for the failure. */
  readonly error: string | null;
  readonly result: JsonObject;
}

/**
 * The agent of a task's node. Every method throws AgentUnreachable when nothing answers at the address of the agent's last
 * heartbeat, AgentBusy while the agent runs another command, and AgentFailed when the agent refuses or its answer is invalid.
 */
export interface Agent {
  /** Starts `command` (`extension.name`) and resolves while it still runs in the ramdisk. */
  start(command: string, parameters: JsonObject): Promise<AgentCommand>;
  /**
   * Runs `command` and resolves when it has succeeded. Throws AgentFailed when the command fails, with the agent's reason, and
   * when the command still runs after `[agent]` command_wait_attempts waits of command_wait_interval seconds each.
   */
  run(command: string, parameters: JsonObject): Promise<AgentCommand>;
  /** Resolves to the ended command; undefined if the agent does not report its end within `withinSeconds`. */
  end(command: AgentCommand, withinSeconds: number): Promise<AgentCommand | undefined>;
  /** Returns the commands started since the ramdisk booted, oldest first. */
  commands(): Promise<readonly AgentCommand[]>;
  /**
   * Starts one of the agent's own steps, `{ interface, step, args? }`, with the command `execute_<phase>_step`. An
   * interface's step that calls this returns `wait for agent`.
   */
  startStep(phase: AgentPhase, step: JsonObject): Promise<AgentCommand>;
  /** Returns the agent's own steps: `{ <phase>_steps, hardware_manager_version }`. */
  getSteps(phase: AgentPhase): Promise<JsonObject>;
}

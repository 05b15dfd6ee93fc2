// What the agent in a machine's ramdisk can be asked.
import type { JsonObject } from '../model/json.ts';
import type { StepPhase } from '../model/step-phases.ts';

/** The phases in which an agent has steps of its own. */
export type AgentPhase = Exclude<StepPhase, 'verify'>;

export interface AgentCommand {
  readonly id: string;
  /** Without its extension: `execute_clean_step`. */
  readonly name: string;
  /** `VERSION_MISMATCH`: the agent's hardware managers are not those that the steps were asked of. */
  readonly status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'VERSION_MISMATCH';
  /** Why it did not succeed, in the agent's words. */
  readonly error: string | null;
  readonly result: JsonObject;
}

/**
 * The agent of a task's node. Everything throws AgentUnreachable when nobody answers at the address of its last
 * heartbeat, AgentBusy while it runs another command, and AgentFailed when it refuses or answers what cannot be understood.
 */
export interface Agent {
  /** Begins `command` (`extension.name`), which goes on in the ramdisk. */
  start(command: string, parameters: JsonObject): Promise<AgentCommand>;
  /** Resolves when `command` has ended well; throws AgentFailed with the agent's reason when it failed. */
  run(command: string, parameters: JsonObject): Promise<AgentCommand>;
  /** In the order they were started since the ramdisk booted. */
  commands(): Promise<readonly AgentCommand[]>;
  /** Begins one of the agent's own steps, `{ interface, step, args? }`, as command `execute_<phase>_step`. */
  startStep(phase: AgentPhase, step: JsonObject): Promise<AgentCommand>;
  /** What the agent says of its own steps: `{ <phase>_steps, hardware_manager_version }`. */
  getSteps(phase: AgentPhase): Promise<JsonObject>;
}

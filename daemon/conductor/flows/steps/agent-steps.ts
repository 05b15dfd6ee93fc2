// Reads what the agent reports about steps: which it has, and the status of the step that it was given.
import { Fault, fault } from '../../../model/faults.ts';
import { changeInfo, keyChange } from '../../../model/internal-info.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.ts';
import type { AvailableStep } from '../../../model/steps/planned-steps.ts';
import type { StepPhase } from '../../../model/steps/step-phases.ts';
import { type NamedStep, stepName } from '../../../model/steps/step-lists.ts';
import type { AgentCommand, AgentPhase } from '../../../plugin-api/index.ts';
import { now } from '../../../lib/clock.ts';
import type { FlowTask } from '../services.ts';

/**
 * Asks the agent for its steps and stores them in the node; they count as known until the ramdisk boots again. Resolves to false
 * when the agent does not answer now; it is asked again at its next heartbeat. Throws AgentFailed when the agent's answer is
 * malformed. For verification, which uses no agent, resolves to true at once.
 */
export async function learnAgentSteps(task: FlowTask, phase: StepPhase): Promise<boolean> {
  if (phase === 'verify') return true;
  const reply = await askAgent(task, () => task.agent.getSteps(phase));
  if (reply === undefined) return false;
  const steps = readAgentSteps(phase, reply);
  if (steps === undefined) {
    throw fault('AgentFailed', {
      node: task.node.uuid,
      command: `get_${phase}_steps`,
      reason: `its answer lacks ${phase}_steps or hardware_manager_version, or one of the steps lacks a valid interface, step or priority`,
    });
  }
  const byInterface = Object.fromEntries(Map.groupBy(steps.available, (step) => step.interface));
  task.store(
    changeInfo(task.node, {
      ...keyChange(`agent_cached_${phase}_steps`, byInterface),
      ...keyChange(`agent_cached_${phase}_steps_refreshed`, now(task.services)),
      hardware_manager_version: steps.version,
    }),
  );
  return true;
}

/**
 * Returns the agent's answer; undefined when the agent is busy or unreachable for now, or has not sent its first heartbeat
 * yet. Rethrows other errors.
 */
export async function askAgent<T>(task: FlowTask, ask: () => Promise<T>): Promise<T | undefined> {
  if (task.node.driver_internal_info.agent_url === undefined) return undefined;
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Fault && (error.code === 'AgentBusy' || error.code === 'AgentUnreachable')))
      throw error;
    task.log.warn(
      { reason: error.message },
      'the agent does not answer; the daemon asks again when the agent sends its next heartbeat',
    );
    const silence = { at: now(task.services), reason: error.message };
    task.store(changeInfo(task.node, { agent_last_silence: silence }));
    return undefined;
  }
}

interface AgentStepsReply {
  readonly available: readonly AvailableStep[];
  readonly version: JsonObject;
}

/** Returns undefined when the answer is malformed. Of several steps with the same name, the first is used. */
export function readAgentSteps(phase: AgentPhase, reply: JsonObject): AgentStepsReply | undefined {
  const { [`${phase}_steps`]: managers, hardware_manager_version: version } = reply;
  if (!isJsonObject(managers) || !isJsonObject(version)) return undefined;
  const steps = Object.values(managers)
    .flat()
    .map((step) => readStep(phase, step));
  const known = steps.filter((step) => step !== undefined);
  if (known.length < steps.length) return undefined;
  const byName = new Map(known.toReversed().map((step) => [stepName(step), step]));
  return { available: [...byName.values()].toReversed(), version };
}

function readStep(phase: AgentPhase, given: Json): AvailableStep | undefined {
  if (!isJsonObject(given)) return undefined;
  const { interface: type, step, priority, abortable, argsinfo, reboot_requested: reboot } = given;
  if (typeof type !== 'string' || typeof step !== 'string' || !Number.isInteger(priority)) return undefined;
  return {
    interface: type,
    step,
    source: 'agent',
    priority: Number(priority),
    abortable: typeof abortable === 'boolean' ? abortable : phase === 'deploy',
    requires_ramdisk: true,
    reboot_requested: reboot === true,
    argsinfo: isJsonObject(argsinfo) ? readArguments(argsinfo) : {},
    description: null,
    destroys: null,
  };
}

const readArguments = (argsinfo: JsonObject): AvailableStep['argsinfo'] =>
  Object.fromEntries(
    Object.entries(argsinfo).map(([name, about]) => {
      const { description = null, required = false } = isJsonObject(about) ? about : {};
      return [name, { ...(typeof description === 'string' && { description }), required: required === true }];
    }),
  );

/**
 * What the agent says about the current step. `fresh`: since the agent started, it has done nothing but list its steps.
 * `pending`: the agent is at work on this step or on another command, or has not reported the end of the step. `unbegun`: the
 * step was not sent to the agent, and the agent is idle. `version mismatch`: the agent's hardware managers have changed since
 * the agent listed its steps.
 */
export type CommandStatus =
  | { readonly kind: 'fresh' | 'pending' | 'unbegun' | 'version mismatch' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'ended'; readonly result: JsonObject };

/** Derives the status from the agent's commands, oldest first. `begun`: whether the current step was sent to the agent. */
export function currentStatus(
  phase: AgentPhase,
  step: NamedStep,
  begun: boolean,
  commands: readonly AgentCommand[],
): CommandStatus {
  const last = commands.at(-1);
  if (last === undefined || commands.every(({ name }) => /^get_\w+_steps$/.test(name)))
    return { kind: 'fresh' };
  if (!begun) return { kind: last.status === 'RUNNING' ? 'pending' : 'unbegun' };
  return last.name === `execute_${phase}_step` ? statusOf(phase, step, last) : { kind: 'pending' };
}

/** Derives the status of the step from the agent's command that runs it. */
export function statusOf(
  phase: AgentPhase,
  step: NamedStep,
  { status, error, result }: AgentCommand,
): CommandStatus {
  switch (status) {
    case 'RUNNING':
      return { kind: 'pending' };
    case 'FAILED':
      return { kind: 'failed', reason: error ?? 'the agent gave no reason' };
    case 'VERSION_MISMATCH':
      return { kind: 'version mismatch' };
    default:
      return isFor(step, result[`${phase}_step`]) ? { kind: 'ended', result } : { kind: 'pending' };
  }
}

const isFor = (step: NamedStep, ended: Json | undefined): boolean =>
  isJsonObject(ended) && ended['interface'] === step.interface && ended['step'] === step.step;

// What all driver interfaces have in common.
import type { JsonObject } from '../../model/json.ts';
import type { NamedStep } from '../../model/steps/step-lists.ts';
import type { AgentPhase } from '../agent.ts';
import type { PeriodicWork } from '../periodic.ts';
import type { Step } from '../steps.ts';
import type { Task } from '../task.ts';

/** One `driver_info` field that an interface reads. */
export interface PropertySpec {
  readonly description: string;
  readonly required?: true;
  /** Set for a value that is never shown. Masking looks at names, so the name must contain password, secret or token. */
  readonly secret?: true;
  /** A value that `validate` accepts, as an operator would type it. */
  readonly example?: string;
}

/**
 * The members that all interfaces have. An interface is one object for all nodes and holds no state: all state is in
 * the node's record.
 */
export interface DriverInterface {
  /** The `driver_info` fields that the interface reads, by name. */
  readonly properties: Readonly<Record<string, PropertySpec>>;
  /**
   * Throws a fault (DriverInfoMissing, DriverInfoInvalid, UnsupportedDriverExtension) when the node's record lacks what
   * the interface needs. Reads the record only; does not talk to the machine. Needs no lock.
   */
  validate(task: Task): void | Promise<void>;
  /**
   * Throws a fault when the machine itself is unfit; may talk to it. Called after `validate`: when a client asks the API to
   * validate the node, for all interface types except vendor; and when a request begins verification (for power), a deployment
   * (for power and deploy) or an inspection (for inspect). Needs no lock.
   */
  validateMachine?(task: Task): Promise<void>;
  /** Steps by name, without the interface type. */
  readonly steps?: Readonly<Record<string, Step>>;
  /**
   * Whether the interface also offers the steps that the ramdisk's agent has for this interface type: true for all phases, or a
   * list of phases. It does so only if the node's deploy interface, which boots the ramdisk, offers agent steps too.
   */
  readonly offersAgentSteps?: true | readonly AgentPhase[];
  /** Called when an agent step of this interface type has succeeded, with its result. */
  agentStepEnded?(task: Task, step: NamedStep, result: JsonObject): void | Promise<void>;
  /** Work that the daemon repeats for the nodes that use the interface, by name. */
  readonly periodic?: Readonly<Record<string, PeriodicWork>>;
}

/** Defines an interface of a type that has no operations of its own. */
export const defineInterface = (any: DriverInterface): DriverInterface => any;

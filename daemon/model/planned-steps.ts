// The steps of a flow: what a node offers, what was asked for, and the list that comes of both.
import type { InterfaceType } from './interface-types.ts';
import type { JsonObject } from './json.ts';
import { type NamedStep, type RequestedStep, stepName } from './step-lists.ts';
import type { StepPhase } from './step-phases.ts';

/** A step that the node's driver or the agent in its ramdisk has. */
export interface OfferedStep {
  readonly interface: string;
  readonly step: string;
  readonly source: 'driver' | 'agent';
  readonly priority: number;
  readonly abortable: boolean;
  readonly requires_ramdisk: boolean;
  /** The agent's: the machine is to boot the ramdisk again when the step has ended. */
  readonly reboot_requested: boolean;
  readonly argsinfo: Readonly<Record<string, { readonly description?: string; readonly required?: boolean }>>;
  readonly description: string | null;
  /** What is lost for ever. */
  readonly destroys: string | null;
}

/** A step as the node's record keeps it before, while and after it runs. */
export interface PlannedStep extends NamedStep {
  readonly priority: number;
  readonly abortable: boolean;
  readonly requires_ramdisk: boolean;
  readonly reboot_requested?: true;
  readonly execute_on_child_nodes?: true;
  readonly limit_child_node_execution?: readonly string[];
  /** An abort was asked for that waits for the end of the step. */
  readonly abort_after?: true;
}

/** The interface types that a phase asks for steps; of equal priorities the earlier in this list runs first. */
export const stepInterfaces: Readonly<Record<StepPhase, readonly InterfaceType[]>> = {
  verify: [
    ...(['power', 'management', 'firmware', 'inspect', 'deploy', 'boot', 'bios'] as const),
    ...(['raid', 'vendor', 'network', 'storage', 'console', 'rescue'] as const),
  ],
  clean: ['vendor', 'power', 'management', 'firmware', 'deploy', 'bios', 'raid'],
  deploy: ['vendor', 'power', 'management', 'firmware', 'deploy', 'bios', 'raid'],
  service: ['network', 'vendor', 'power', 'management', 'firmware', 'deploy', 'bios', 'raid'],
};

/** Steps that the conductor itself carries out; their interface says nothing. */
export const reservedSteps = ['power_on', 'power_off', 'reboot', 'hold', 'wait'] as const;
export type ReservedStep = (typeof reservedSteps)[number];

export const isReserved = (name: string): name is ReservedStep =>
  reservedSteps.some((reserved) => reserved === name);

/** Highest priority first; of equal ones in the phase's order of interface types, else as given. */
export function inRunningOrder<S extends NamedStep & { readonly priority: number }>(
  phase: StepPhase,
  steps: readonly S[],
): readonly S[] {
  const rank = (step: S) => stepInterfaces[phase].findIndex((type) => type === step.interface);
  return steps.toSorted((a, b) => b.priority - a.priority || rank(a) - rank(b));
}

/** The steps that run unasked: all with a priority, in running order. */
export function planOffered(phase: StepPhase, offered: readonly OfferedStep[]): readonly PlannedStep[] {
  return inRunningOrder(
    phase,
    offered.filter(({ priority }) => priority > 0),
  ).map((step) => planned(step));
}

export interface RequestedPlan {
  readonly steps: readonly PlannedStep[];
  /** The requested steps that nobody offers; `steps` has them as far as they are known. */
  readonly unknown: readonly NamedStep[];
  /** What is wrong with the others, a sentence each. */
  readonly problems: readonly string[];
}

/** The list for steps that were asked for, in the order given. Priority and abortability are the offer's. */
export function planRequested(
  requested: readonly RequestedStep[],
  offered: readonly OfferedStep[],
): RequestedPlan {
  const byName = new Map(offered.map((step) => [stepName(step), step]));
  const unknown: NamedStep[] = [];
  const problems: string[] = [];
  const steps = requested.map((step): PlannedStep => {
    if (step.execute_on_child_nodes === true || isReserved(step.step)) {
      problems.push(...reservedProblems(step));
      return ofConductor(step);
    }
    const offer = byName.get(stepName(step));
    if (offer === undefined) {
      unknown.push(step);
      return { ...ofConductor(step), requires_ramdisk: true };
    }
    problems.push(...argumentProblems(step, offer));
    return planned(offer, step.args);
  });
  return { steps, unknown, problems };
}

/** What is wrong with the arguments of a step, a sentence each. */
export function argumentProblems(step: NamedStep, { argsinfo }: Pick<OfferedStep, 'argsinfo'>): string[] {
  const given = Object.keys(step.args ?? {});
  const known = Object.keys(argsinfo);
  const unexpected = given.filter((name) => !known.includes(name));
  const missing = known.filter((name) => argsinfo[name]?.required === true && !given.includes(name));
  return [
    ...(unexpected.length === 0
      ? []
      : [
          `step ${stepName(step)} has unexpected arguments: ${unexpected.join(', ')}. It takes ${known.join(', ') || 'none'}`,
        ]),
    ...(missing.length === 0
      ? []
      : [`step ${stepName(step)} lacks the required arguments ${missing.join(', ')}`]),
  ];
}

const MAXIMUM_WAIT_SECONDS = 2_147_483;

/** What is wrong with a step that the conductor itself carries out. */
export function reservedProblems(step: RequestedStep): string[] {
  if (!isReserved(step.step)) return [];
  if (step.execute_on_child_nodes === true && (step.step === 'hold' || step.step === 'wait'))
    return [`step ${step.step} cannot run on child nodes`];
  const argsinfo = step.step === 'wait' ? { seconds: {} } : {};
  return [...argumentProblems(step, { argsinfo }), ...waitProblems(step)];
}

function waitProblems({ step, args }: RequestedStep): string[] {
  const seconds = args?.['seconds'];
  if (step !== 'wait' || seconds === undefined || waitSeconds({ args }) !== undefined) return [];
  return [
    `argument seconds of step wait is ${JSON.stringify(seconds)}; expected a number of seconds up to ${MAXIMUM_WAIT_SECONDS}`,
  ];
}

/** How long a `wait` step lasts; undefined: until the next heartbeat. */
export function waitSeconds({ args }: { readonly args?: JsonObject | undefined }): number | undefined {
  const seconds = Number(args?.['seconds'] ?? Number.NaN);
  return seconds >= 0 && seconds <= MAXIMUM_WAIT_SECONDS ? seconds : undefined;
}

export const ofConductor = (step: RequestedStep): PlannedStep => ({
  interface: step.interface,
  step: step.step,
  ...(step.args !== undefined && { args: step.args }),
  ...(step.execute_on_child_nodes === true && { execute_on_child_nodes: true }),
  ...(step.limit_child_node_execution && { limit_child_node_execution: step.limit_child_node_execution }),
  priority: 0,
  abortable: true,
  requires_ramdisk: false,
});

export function planned(offer: OfferedStep, args?: JsonObject): PlannedStep {
  return {
    interface: offer.interface,
    step: offer.step,
    ...(args !== undefined && { args }),
    priority: offer.priority,
    abortable: offer.abortable,
    requires_ramdisk: offer.requires_ramdisk,
    ...(offer.reboot_requested && { reboot_requested: true }),
  };
}

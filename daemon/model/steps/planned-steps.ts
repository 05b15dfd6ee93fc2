// Plans the steps of a flow from the steps that a node offers and those that were requested.
import type { InterfaceType } from '../machine/interface-types.ts';
import type { JsonObject } from '../json.ts';
import { type NamedStep, type RequestedStep, stepName } from './step-lists.ts';
import type { StepPhase } from './step-phases.ts';

/** A step that the node's driver or its agent can run. */
export type AvailableStep = {
  readonly interface: string;
  readonly step: string;
  readonly source: 'driver' | 'agent';
  readonly priority: number;
  readonly abortable: boolean;
  readonly requires_ramdisk: boolean;
  /** For agent steps: whether the machine must boot the ramdisk again after the step. */
  readonly reboot_requested: boolean;
  readonly argsinfo: Readonly<Record<string, { readonly description?: string; readonly required?: boolean }>>;
  readonly description: string | null;
  /** The data that the step destroys, as text for operators. */
  readonly destroys: string | null;
};

/** A step as stored in the node before, while and after it runs. */
export type PlannedStep = NamedStep & {
  readonly priority: number;
  readonly abortable: boolean;
  readonly requires_ramdisk: boolean;
  readonly reboot_requested?: true;
  readonly execute_on_child_nodes?: true;
  readonly limit_child_node_execution?: readonly string[];
  /** An abort was requested and takes effect when the step ends. */
  readonly abort_after?: true;
};

/** The interface types that have steps in each phase. Steps of equal priority run in the order of this list. */
export const stepInterfaces: Readonly<Record<StepPhase, readonly InterfaceType[]>> = {
  verify: [
    ...(['power', 'management', 'firmware', 'inspect', 'deploy', 'boot', 'bios'] as const),
    ...(['raid', 'vendor', 'network', 'storage', 'console', 'rescue'] as const),
  ],
  clean: ['vendor', 'power', 'management', 'firmware', 'deploy', 'bios', 'raid'],
  deploy: ['vendor', 'power', 'management', 'firmware', 'deploy', 'bios', 'raid'],
  service: ['network', 'vendor', 'power', 'management', 'firmware', 'deploy', 'bios', 'raid'],
};

/** Steps that the conductor itself runs; their interface is ignored. */
export const reservedSteps = ['power_on', 'power_off', 'reboot', 'hold', 'wait'] as const;
export type ReservedStep = (typeof reservedSteps)[number];

export const isReserved = (name: string): name is ReservedStep =>
  reservedSteps.some((reserved) => reserved === name);

/** Sorts by descending priority, then by the phase's order of interface types, and otherwise keeps the given order. */
export function inRunningOrder<S extends NamedStep & { readonly priority: number }>(
  phase: StepPhase,
  steps: readonly S[],
): readonly S[] {
  const rank = (step: S) => stepInterfaces[phase].findIndex((type) => type === step.interface);
  return steps.toSorted((a, b) => b.priority - a.priority || rank(a) - rank(b));
}

/** Returns the steps that run without being requested: all with a priority above 0, in running order. */
export function planAvailable(phase: StepPhase, available: readonly AvailableStep[]): readonly PlannedStep[] {
  return inRunningOrder(
    phase,
    available.filter(({ priority }) => priority > 0),
  ).map((step) => planStep(step));
}

export interface RequestedPlan {
  readonly steps: readonly PlannedStep[];
  /** Requested steps that nothing offers. `steps` contains them too, with what the request says of them. */
  readonly unknown: readonly NamedStep[];
  /** The problems with the steps that are not in `unknown`, one sentence each. */
  readonly problems: readonly string[];
}

/** Plans the requested steps in the given order. A step that the node offers keeps the priority and abortability of the offer. */
export function planRequested(
  requested: readonly RequestedStep[],
  available: readonly AvailableStep[],
): RequestedPlan {
  const byName = new Map(available.map((step) => [stepName(step), step]));
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
    return planStep(offer, step.args);
  });
  return { steps, unknown, problems };
}

/** Returns the problems with the arguments of a step, one sentence each. */
export function argumentProblems(step: NamedStep, { argsinfo }: Pick<AvailableStep, 'argsinfo'>): string[] {
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

/** Returns the problems with a step that the conductor itself runs, one sentence each. */
export function reservedProblems(step: RequestedStep): string[] {
  if (!isReserved(step.step)) return [];
  if (step.execute_on_child_nodes === true && (step.step === 'hold' || step.step === 'wait'))
    return [`step "${step.step}" cannot run on child nodes`];
  const argsinfo = step.step === 'wait' ? { seconds: {} } : {};
  return [...argumentProblems(step, { argsinfo }), ...waitProblems(step)];
}

function waitProblems({ step, args }: RequestedStep): string[] {
  const seconds = args?.['seconds'];
  if (step !== 'wait' || seconds === undefined || waitSeconds({ args }) !== undefined) return [];
  return [
    `argument "seconds" of step "wait" is ${JSON.stringify(seconds)}; expected a number of seconds up to ${MAXIMUM_WAIT_SECONDS}`,
  ];
}

/** Returns the duration of a `wait` step in seconds; undefined: it waits for the next heartbeat. */
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

export function planStep(offer: AvailableStep, args?: JsonObject): PlannedStep {
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

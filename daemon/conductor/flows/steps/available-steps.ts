// Lists the steps that a node offers: those of its driver and those that the agent in its ramdisk has reported.
import { pairsOf } from '../../../config/sections/typed-options.ts';
import { availableInterface } from '../../../plugin-host/compose.ts';
import { type InterfaceType, interfaceTypes } from '../../../model/machine/interface-types.ts';
import { destroyedByAgent } from '../../../model/steps/agent-step-effects.ts';
import { type AvailableStep, stepInterfaces } from '../../../model/steps/planned-steps.ts';
import { type NamedStep, stepName } from '../../../model/steps/step-lists.ts';
import type { StepPhase } from '../../../model/steps/step-phases.ts';
import type { Driver, Step } from '../../../plugin-api/index.ts';
import { agentSteps } from './flow-record.ts';
import type { FlowServices, FlowTask } from '../services.ts';

/** Returns all available steps, including those with priority 0, in the phase's order of interface types. */
export function availableSteps(
  { driver, node, services }: Pick<FlowTask, 'driver' | 'node' | 'services'>,
  phase: StepPhase,
): readonly AvailableStep[] {
  const ofAgent = agentSteps(node, phase) ?? {};
  const priorities = overrides(services, phase);
  return stepInterfaces[phase]
    .flatMap((type) => {
      const { steps = {} } = availableInterface(driver, type) ?? {};
      const own = Object.entries(steps).flatMap(([name, step]) => describeStep(phase, type, name, step));
      const names = new Set(own.map(({ step }) => step));
      const agents = offersAgentSteps(driver, type, phase) ? (ofAgent[type] ?? []) : [];
      const others = agents.filter(({ step }) => !names.has(step));
      return [...own, ...others.map((step) => ({ ...step, destroys: destroyedByAgent(step) }))];
    })
    .map((step) => {
      const priority = priorities[step.source].get(stepName(step));
      return priority === undefined ? step : { ...step, priority };
    });
}

/** Whether the ramdisk's agent must be asked for its steps. */
export const asksAgent = ({ driver }: Pick<FlowTask, 'driver'>, phase: StepPhase): boolean =>
  stepInterfaces[phase].some((type) => offersAgentSteps(driver, type, phase));

/** Whether the ramdisk's agent may have steps of the interface type. */
export function offersAgentSteps(driver: Driver, type: InterfaceType, phase: StepPhase): boolean {
  const inPhase = (kind: InterfaceType) => {
    const offered = availableInterface(driver, kind)?.offersAgentSteps;
    return offered === true || offered?.some((each) => each === phase) === true;
  };
  return inPhase(type) && inPhase('deploy');
}

/** Returns the driver's own step, which takes precedence over an agent step of the same name. */
export function ownStep(
  { driver }: Pick<FlowTask, 'driver'>,
  phase: StepPhase,
  named: NamedStep,
): Step | undefined {
  const type = interfaceTypes.find((each) => each === named.interface);
  const steps = (type && availableInterface(driver, type)?.steps) ?? {};
  const step = Object.hasOwn(steps, named.step) ? steps[named.step] : undefined;
  return step?.priorities[phase] === undefined ? undefined : step;
}

function describeStep(phase: StepPhase, type: InterfaceType, name: string, step: Step): AvailableStep[] {
  const priority = step.priorities[phase];
  if (priority === undefined) return [];
  return [
    {
      interface: type,
      step: name,
      source: 'driver',
      priority,
      abortable: step.abortable ?? phase === 'deploy',
      requires_ramdisk: step.requiresRamdisk ?? true,
      reboot_requested: false,
      argsinfo: step.arguments ?? {},
      description: step.description,
      destroys: step.destroys ?? null,
    },
  ];
}

type Priorities = ReadonlyMap<string, number>;

/** Returns the priorities that the configuration sets in place of the steps' own: for each source, by step name. */
function overrides({ config }: FlowServices, phase: StepPhase): Record<AvailableStep['source'], Priorities> {
  if (phase !== 'clean' && phase !== 'verify') return { driver: new Map(), agent: new Map() };
  const texts = config.conductor[`${phase}_step_priority_override`];
  const all = [...pairsOf(texts)].map(([name, priority]): [string, number] => [name, Number(priority)]);
  const agents = phase === 'clean' ? agentPriorities(config.deploy) : [];
  return { driver: new Map(all), agent: new Map([...agents, ...all]) };
}

function agentPriorities(deploy: FlowServices['config']['deploy']): [string, number][] {
  const options = [
    ['deploy.erase_devices', deploy.erase_devices_priority],
    ['deploy.erase_devices_metadata', deploy.erase_devices_metadata_priority],
    ['raid.delete_configuration', deploy.delete_configuration_priority],
    ['raid.create_configuration', deploy.create_configuration_priority],
  ] as const;
  return options.flatMap(([name, priority]): [string, number][] =>
    priority === null ? [] : [[name, priority]],
  );
}

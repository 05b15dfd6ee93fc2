// Plans the steps of a deployment from the node's own steps, deploy templates and the request, in rising precedence.
import {
  argumentProblems,
  inRunningOrder,
  isReserved,
  ofConductor,
  type AvailableStep,
  planStep,
  type PlannedStep,
  reservedProblems,
} from './planned-steps.ts';
import { type DeployStep, type DeployTemplate, stepName } from './step-lists.ts';

export interface DeployChoices {
  /** The `deploy_steps` in the request. */
  readonly requested: readonly DeployStep[];
  readonly templates: readonly Pick<DeployTemplate, 'name' | 'steps'>[];
  /** Names of steps that never run: `[api] disallow_deploy_steps`. */
  readonly disallowed: readonly string[];
}

/** A step and its origin: the node's own plan, a deploy template or the request. */
export interface DeploymentStep extends PlannedStep {
  readonly chosenBy: string | null;
}

export interface DeployPlan {
  /** The steps in the order in which they run. */
  readonly steps: readonly DeploymentStep[];
  /** Chosen steps that nothing offers so far. An agent may offer them later. `steps` does not contain them. */
  readonly unknown: readonly DeploymentStep[];
  /** The problems with the chosen steps, one sentence each. */
  readonly problems: readonly string[];
}

/** The core steps of a deployment. The only permitted change is priority 0, which leaves a step out. */
const CORE = new Set(['deploy.deploy']);
const REQUEST = 'deploy_steps';

interface Chosen {
  readonly step: DeployStep;
  readonly by: string;
}

/**
 * A step in the request replaces the templates' steps of the same name. Steps in the request and in templates replace the node's
 * own steps of the same name, including priority and arguments. A step in several templates runs once for each template.
 */
export function planDeployment(available: readonly AvailableStep[], choices: DeployChoices): DeployPlan {
  const requested = choices.requested.map((step): Chosen => ({ step, by: REQUEST }));
  const requestedNames = new Set(choices.requested.map(stepName));
  const templated = choices.templates.flatMap(({ name, steps }) =>
    steps
      .filter((step) => !requestedNames.has(stepName(step)))
      .map((step): Chosen => ({ step, by: templateName(name) })),
  );
  const chosen = [...requested, ...templated];
  const offers = new Map(available.map((step) => [stepName(step), step]));
  const replaced = new Set(chosen.map(({ step }) => stepName(step)));
  const steps = [
    ...available
      .filter((offer) => offer.priority > 0 && !replaced.has(stepName(offer)))
      .map((offer): DeploymentStep => ({ ...planStep(offer), chosenBy: null })),
    ...chosen.flatMap(({ step, by }): DeploymentStep[] => {
      const known = knownStep(step, offers.get(stepName(step)));
      if (known === undefined || step.priority === 0) return [];
      return [{ ...known, priority: step.priority, chosenBy: by }];
    }),
  ];
  return {
    steps: inRunningOrder(
      'deploy',
      steps.filter((step) => !choices.disallowed.includes(stepName(step))),
    ),
    unknown: chosen
      .filter(({ step }) => knownStep(step, offers.get(stepName(step))) === undefined)
      .map(unknownStep),
    problems: [
      ...listRepeated(choices.requested),
      ...chosen.flatMap((choice) => problemsOf(choice, offers.get(stepName(choice.step)))),
    ],
  };
}

const knownStep = (step: DeployStep, offer: AvailableStep | undefined): PlannedStep | undefined =>
  isReserved(step.step) ? ofConductor(step) : offer && planStep(offer, step.args);

const unknownStep = ({ step, by }: Chosen): DeploymentStep => ({
  ...step,
  abortable: true,
  requires_ramdisk: true,
  chosenBy: by,
});

const templateName = (name: string) => `deploy template ${name}`;

function problemsOf({ step, by }: Chosen, offer: AvailableStep | undefined): string[] {
  const name = stepName(step);
  if (CORE.has(name) && step.priority !== 0)
    return [`${by}: ${name} is a core step, which can only be left out, with priority 0`];
  // a step that does not run is not validated
  if (step.priority === 0) return [];
  const problems = isReserved(step.step) ? reservedProblems(step) : offer && argumentProblems(step, offer);
  return (problems ?? []).map((problem) => `${by}: ${problem}`);
}

function listRepeated(steps: readonly DeployStep[]): string[] {
  const names = steps.filter(({ step }) => !isReserved(step)).map(stepName);
  const again = names.filter((name, index) => names.indexOf(name) !== index);
  return [...new Set(again)].map((name) => `${REQUEST}: step ${name} is listed more than once`);
}

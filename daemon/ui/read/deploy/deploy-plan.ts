// Asks the API what the request of the form Deploy would do to each machine, and reads how long that usually takes.
import { bootWork } from '../../../conductor/timeline/boot-times.ts';
import type { Visit } from '../../../http/pages.ts';
import { next } from '../../../model/states/provision-states.ts';
import { verbOf } from '../../../model/states/verbs.ts';
import { usualSeconds } from '../../../model/usual-time.ts';
import { deployBody, type DeployRequest } from '../../actions/deploy/deploy-fields.ts';
import { refusalText } from '../../actions/perform.ts';
import type { ReadServices } from '../services.ts';
import { readUsualTimes } from '../usual-times.ts';
import type { DeployMachine } from './deploy-machines.ts';

export interface DeployStepShown {
  /** The interface and the step: `deploy.write_image`. */
  readonly name: string;
  readonly description: string | null;
  readonly destroys: string | null;
  readonly chosenBy: string | null;
  /** Whether the machine's firmware boots. */
  readonly boots: boolean;
  /** Seconds; undefined where too little is known. */
  readonly usual: number | undefined;
}

/** The machines for which the same would happen. */
export interface DeployPlanShown {
  readonly labels: readonly string[];
  readonly steps: readonly DeployStepShown[];
  /** Why the request would be refused or fail; one sentence each. */
  readonly problems: readonly string[];
}

export interface DeployPlans {
  readonly plans: readonly DeployPlanShown[];
  /** How many machines no plan was asked for, because there are many. */
  readonly unasked: number;
  /** How long the whole usually takes, and how many earlier deployments tell so; undefined where too little is known. */
  readonly usual: { readonly seconds: number; readonly samples: number } | undefined;
}

/** Plans are asked for at most this many machines. */
const MOST_PLANS = 24;
/** The step that boots the ramdisk, unless one runs already; and the steps that boot the instance. */
const BOOTS_RAMDISK = 'deploy.deploy';
const BOOTS_INSTANCE = 'deploy.boot_instance';

export async function readDeployPlans(
  services: ReadServices,
  { call }: Pick<Visit, 'call'>,
  request: DeployRequest,
  machines: readonly DeployMachine[],
): Promise<DeployPlans> {
  const asked = machines.slice(0, MOST_PLANS);
  const plans: (DeployPlanShown & { readonly key: string })[] = [];
  for (const [index, { node, label }] of asked.entries()) {
    const path = `/v1/nodes/${node.uuid}/steps/plan`;
    const response = await call({
      method: 'POST',
      path,
      body: deployBody(request, index + 1, machines.length),
    });
    const {
      steps,
      problems,
      boots_ramdisk: boots,
    } = response.ok
      ? ((await response.json()) as ApiPlan)
      : { steps: [], problems: [await refusalText(response)], boots_ramdisk: false };
    const shown = shownSteps(services, node.uuid, { steps, boots });
    const told = problems.map((problem) => toldTo(problem, { node, label }));
    plans.push({ labels: [label], steps: shown, problems: told, key: keyOf(steps, told, label) });
  }
  const groups = [...Map.groupBy(plans, ({ key }) => key).values()];
  return {
    plans: groups.flatMap(([first, ...others]) =>
      first === undefined ? [] : [{ ...first, labels: [first, ...others].flatMap(({ labels }) => labels) }],
    ),
    unasked: machines.length - asked.length,
    usual: machines[0] && usualOfWhole(services, machines[0], request),
  };
}

/** The API names a missing image by its field, which the form calls otherwise. */
const toldTo = (problem: string, { node, label }: Pick<DeployMachine, 'node' | 'label'>): string =>
  /image_source: it is missing/.test(problem)
    ? `No image is chosen for ${label}.`
    : problem.replaceAll(node.uuid, label);

/** The part of the API's plan that is shown. */
interface ApiPlan {
  readonly steps: readonly ApiStep[];
  readonly problems: readonly string[];
  readonly boots_ramdisk: boolean;
}

interface ApiStep {
  readonly interface: string;
  readonly step: string;
  readonly destroys: string | null;
  readonly description: string | null;
  readonly chosen_by: string | null;
}

const nameOf = ({ interface: of, step }: ApiStep): string => `${of}.${step}`;

/** Machines with the same steps and the same problems share one plan, whatever they are called. */
const keyOf = (steps: readonly ApiStep[], problems: readonly string[], label: string): string =>
  JSON.stringify([steps.map(nameOf), problems.map((problem) => problem.replaceAll(label, '*'))]);

function shownSteps(
  services: ReadServices,
  node: string,
  { steps, boots }: { readonly steps: readonly ApiStep[]; readonly boots: boolean },
): readonly DeployStepShown[] {
  const heartbeat = bootWork('heartbeat');
  const works = steps.map((step) => ({ node, work: `deploy ${nameOf(step)}` }));
  const usualOf = readUsualTimes(services, [...works, { node, work: heartbeat }]);
  return steps.map((step): DeployStepShown => {
    const name = nameOf(step);
    const isRamdisk = name === BOOTS_RAMDISK && boots;
    const own = usualOf(node, `deploy ${name}`);
    return {
      name,
      description: step.description,
      destroys: step.destroys,
      chosenBy: step.chosen_by,
      boots: isRamdisk || name === BOOTS_INSTANCE,
      usual: isRamdisk ? (own ?? usualOf(node, heartbeat)) : own,
    };
  });
}

/** As the times of its steps, those of the machine itself count, and where they are too few, those of its model. */
function usualOfWhole(
  { db: { workTimes } }: ReadServices,
  { node }: DeployMachine,
  { verb }: DeployRequest,
): DeployPlans['usual'] {
  const work = next(node.provision_state, verbOf(verb).event);
  if (work === undefined) return undefined;
  const wanted = [{ node: node.uuid, work }];
  for (const [sample] of [workTimes.ofNode(wanted), workTimes.ofModel(wanted)]) {
    const seconds = usualSeconds(sample?.seconds ?? []);
    if (seconds !== undefined) return { seconds, samples: sample?.seconds.length ?? 0 };
  }
  return undefined;
}

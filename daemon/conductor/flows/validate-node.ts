// Whether each interface of a node has what it needs.
import { reasonOf } from '../../model/faults.ts';
import { interfaceTypes } from '../../model/machine/interface-types.ts';
import { checkNamedImage } from '../images/catalogue.ts';
import { deployPlan, templateProblems } from './phases/deploy.ts';
import { openTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';
import { validateWithMachine } from './validate-machine.ts';
import { requestedDeploySteps } from './steps/flow-record.ts';
import type { FlowServices, FlowTask } from './services.ts';

/** `reason` of a valid interface: a warning, about what only some requests would meet. */
export type Validation =
  | { readonly result: true; readonly reason?: string }
  | { readonly result: false; readonly reason: string };

/** Validates the node with each interface except vendor. Takes no lock. */
export async function validateNode(
  context: Call<FlowServices>,
  uuid: string,
): Promise<Readonly<Record<string, Validation>>> {
  const task = openTask(context, uuid);
  const results: Record<string, Validation> = {};
  for (const type of interfaceTypes.filter((kind) => kind !== 'vendor')) {
    results[type] = await verdict(async () => {
      if (type === 'deploy') checkNamedImage(task.services, task.node);
      await validateWithMachine(task, type);
      return type === 'deploy' ? planWarning(task) : undefined;
    });
  }
  return results;
}

/** Throws what planning throws for the instance's traits and their deploy templates. Returns a warning of the node's other templates. */
function planWarning(task: FlowTask): string | undefined {
  deployPlan(task, requestedDeploySteps(task.node));
  const problems = templateProblems(task);
  return problems.length === 0
    ? undefined
    : `Deployments whose instance requires the trait of such a template would be refused: ${problems.join('; ')}.`;
}

async function verdict(check: () => Promise<string | undefined>): Promise<Validation> {
  try {
    const warning = await check();
    return { result: true, ...(warning !== undefined && { reason: warning }) };
  } catch (error) {
    return { result: false, reason: reasonOf(error) };
  }
}

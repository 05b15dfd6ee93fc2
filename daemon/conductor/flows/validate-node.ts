// Whether each interface of a node has what it needs.
import { reasonOf } from '../../model/faults.ts';
import { interfaceTypes } from '../../model/machine/interface-types.ts';
import { deployPlan } from './phases/deploy.ts';
import { openTask } from '../tasks/run-task.ts';
import type { Call } from '../services.ts';
import { validateWithMachine } from './validate-machine.ts';
import { requestedDeploySteps } from './steps/flow-record.ts';

export type Validation = { readonly result: true } | { readonly result: false; readonly reason: string };

/** Validates the node with each interface except vendor. Takes no lock. */
export async function validateNode(
  context: Call,
  uuid: string,
): Promise<Readonly<Record<string, Validation>>> {
  const task = openTask(context, uuid);
  const results: Record<string, Validation> = {};
  for (const type of interfaceTypes.filter((kind) => kind !== 'vendor')) {
    const check = async () => {
      await validateWithMachine(task, type);
      // planning also checks the instance's traits and their deploy templates
      if (type === 'deploy') deployPlan(task, requestedDeploySteps(task.node));
    };
    results[type] = await verdict(check);
  }
  return results;
}

async function verdict(check: () => Promise<void>): Promise<Validation> {
  try {
    await check();
    return { result: true };
  } catch (error) {
    return { result: false, reason: reasonOf(error) };
  }
}

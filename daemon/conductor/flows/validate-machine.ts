// Lets a driver interface check a node's record and its machine.
import type { InterfaceType } from '../../model/machine/interface-types.ts';
import type { FlowTask } from './services.ts';

/** Throws the error of an interface that finds the node's record or its machine unfit. */
export async function validateWithMachine(task: FlowTask, type: InterfaceType): Promise<void> {
  const validated = task.driver[type];
  await validated.validate(task.view);
  await validated.validateMachine?.(task.view);
}

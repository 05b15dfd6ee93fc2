// Calls one operation of a node's driver interface. An operation that the interface lacks is refused.
import type { Driver, Task } from '../../plugin-api/index.ts';
import type { InterfaceType } from '../../model/machine/interface-types.ts';
import { openTask, withTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';
import { unsupported } from './unsupported.ts';
import type { HardwareServices, HardwareTask } from './services.ts';

type AnyOperation = (task: Task, ...given: never[]) => unknown;
type Operation<T extends InterfaceType, M extends keyof Driver[T]> = Extract<
  NonNullable<Driver[T][M]>,
  AnyOperation
>;
/** The names of the operations of an interface type. */
type Member<T extends InterfaceType> = {
  [M in keyof Driver[T]]-?: Operation<T, M> extends never ? never : M;
}[keyof Driver[T]];
type Given<O> = O extends (task: Task, ...given: infer G) => unknown ? G : never;
type Answer<O> = O extends (task: Task, ...given: never[]) => infer R ? Awaited<R> : never;

/**
 * Returns a function that runs operation `member` of the node's `type` interface: it locks the node if `lock` is true,
 * validates the node with the interface, and calls the operation. If the interface lacks the operation, the function throws
 * UnsupportedDriverExtension, with `extension` as the name of the operation.
 */
export function onInterface<T extends InterfaceType, M extends Member<T>>(
  type: T,
  member: M,
  extension: string,
  { lock }: { readonly lock: boolean },
): (
  context: Call<HardwareServices>,
  uuid: string,
  ...given: Given<Operation<T, M>>
) => Promise<Answer<Operation<T, M>>> {
  return async (context, uuid, ...given) => {
    const call = async (task: HardwareTask): Promise<Answer<Operation<T, M>>> => {
      const operation = operationOf(task, type, member, extension);
      await task.driver[type].validate(task.view);
      return operation(...given);
    };
    return lock ? withTask(context, uuid, call) : call(openTask(context, uuid));
  };
}

/** Throws UnsupportedDriverExtension when the interface lacks the operation. */
export function operationOf<T extends InterfaceType, M extends Member<T>>(
  task: HardwareTask,
  type: T,
  member: M,
  extension: string,
): (...given: Given<Operation<T, M>>) => Promise<Answer<Operation<T, M>>> {
  const owner: Driver[T] = task.driver[type];
  const operation: unknown = owner[member];
  if (typeof operation !== 'function') throw unsupported(task, extension, [type, member]);
  return async (...given) => (await operation.call(owner, task.view, ...given)) as Answer<Operation<T, M>>;
}

// Runs the inspection hooks on a draft. Pure, except for the hooks themselves.
import { reasonOf } from '../../daemon/model/faults.ts';
import { InspectionError, type InspectionDraft, type InspectionHook } from '#plugin-api';

export interface NamedHook {
  readonly name: string;
  readonly hook: InspectionHook;
}

/** Called after each hook and each action of a rule. Throws InspectionError for a change that cannot be stored. */
export type TakeChanges = (author: string) => void;

/** Throws InspectionError when a hook fails; with the reasons of all hooks whose `preprocess` fails. */
export function runHooks(hooks: readonly NamedHook[], draft: InspectionDraft, take: TakeChanges): void {
  const failures = hooks.flatMap(
    ({ name, hook }) => failureOf(name, () => hook.preprocess?.(draft), take) ?? [],
  );
  if (failures.length > 0) throw new InspectionError(failures.join('\n'));
  for (const { name, hook } of hooks) {
    const failure = failureOf(name, () => hook.call?.(draft), take);
    if (failure !== undefined) throw new InspectionError(failure);
  }
}

function failureOf(name: string, run: () => unknown, take: TakeChanges): string | undefined {
  try {
    refusePromise(run());
    take(`hook ${name}`);
    return undefined;
  } catch (error) {
    if (error instanceof InspectionError) return `${name}: ${error.message}`;
    const kind = error instanceof Error ? error.name : typeof error;
    return `Hook ${name} failed unexpectedly (${kind}): ${reasonOf(error)}`;
  }
}

function refusePromise(result: unknown): void {
  if (!(result instanceof Promise)) return;
  result.catch(() => undefined);
  throw new InspectionError('the hook returned a promise; hooks must be synchronous');
}

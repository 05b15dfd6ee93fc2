// Runs the inspection hooks on a draft. Pure but for the hooks themselves.
import { reasonOf } from '../daemon/model/faults.ts';
import { InspectionError, type InspectionDraft, type InspectionHook } from '#plugin-api';
import { refuseUnfit } from './refuse-unfit.ts';

export interface NamedHook {
  readonly name: string;
  readonly hook: InspectionHook;
}

/** Why the inspection failed; undefined when every hook has done its part. */
export function runHooks(hooks: readonly NamedHook[], draft: InspectionDraft): string | undefined {
  return preprocessAll(hooks, draft) ?? callAll(hooks, draft);
}

function preprocessAll(hooks: readonly NamedHook[], draft: InspectionDraft): string | undefined {
  const failures = hooks.flatMap(
    ({ name, hook }) => failureOf(name, draft, () => hook.preprocess?.(draft)) ?? [],
  );
  return failures.length === 0 ? undefined : failures.join('\n');
}

function callAll(hooks: readonly NamedHook[], draft: InspectionDraft): string | undefined {
  for (const { name, hook } of hooks) {
    const failure = failureOf(name, draft, () => hook.call?.(draft));
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function failureOf(name: string, draft: InspectionDraft, run: () => unknown): string | undefined {
  try {
    refusePromise(run());
    refuseUnfit(draft);
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
  throw new InspectionError('the hook returned a promise; its work must be done when it returns');
}

// Runs the inspection hooks, which edit a draft of what the inspection stores. Pure, except for the hooks themselves.
import { examinable, reasonOf } from '../../daemon/model/faults.ts';
import type { HookPhase } from '../../daemon/plugin-host/hook-phases.ts';
import { InspectionError, type InspectionDraft, type InspectionHook } from '#plugin-api';

export type NamedHook =
  | { readonly name: string; readonly hook: InspectionHook }
  | {
      readonly name: string;
      readonly hook: AwaitedHook;
      /** The plugin in whose process the hook runs. */
      readonly plugin: string;
    };

type AwaitedHook = Readonly<Partial<Record<HookPhase, (draft: InspectionDraft) => Promise<void>>>>;

/** Called after each phase of each hook, unless the phase failed. Throws InspectionError for a change that cannot be stored. */
export type TakeChanges = (author: string) => void;

/** Rejects with InspectionError when a hook fails. All hooks run `preprocess`, even if some fail; the error has all reasons. */
export async function runHooks(
  hooks: readonly NamedHook[],
  draft: InspectionDraft,
  take: TakeChanges,
): Promise<void> {
  const failures: string[] = [];
  for (const hook of hooks) failures.push(...(await failureOf(hook, 'preprocess', draft, take)));
  if (failures.length > 0) throw new InspectionError(failures.join('\n'));
  for (const hook of hooks) {
    const [failure] = await failureOf(hook, 'call', draft, take);
    if (failure !== undefined) throw new InspectionError(failure);
  }
}

async function failureOf(
  named: NamedHook,
  phase: HookPhase,
  draft: InspectionDraft,
  take: TakeChanges,
): Promise<readonly string[]> {
  const { name } = named;
  try {
    if ('plugin' in named) await named.hook[phase]?.(draft);
    else refusePromise(named.hook[phase]?.(draft));
    take(`hook ${name}`);
    return [];
  } catch (thrown) {
    const error = examinable(thrown);
    if (error instanceof InspectionError) return [`${name}: ${error.message}`];
    const kind = error instanceof Error ? error.name : typeof error;
    return [`Hook ${name} failed unexpectedly (${kind}): ${reasonOf(error)}`];
  }
}

function refusePromise(result: unknown): void {
  if (!(result instanceof Promise)) return;
  result.catch(() => undefined);
  throw new InspectionError('the hook returned a promise; hooks must be synchronous');
}

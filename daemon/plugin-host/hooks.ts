// Loads and checks the inspection hooks that an option lists.
import { reasonOf } from '../model/faults.ts';
import type { Configuration, InspectionHook } from '../plugin-api/index.ts';
import { hyphenated } from './hook-names.ts';
import { type HookPhase, hookPhases, type IsolatedHook } from './hook-phases.ts';
import type { EntryPoints, Loaded } from './manifests/entry-points.ts';

/**
 * A hook as plain data, for threads. `inside` hooks are imported in the thread. `isolated` hooks run in the process of their
 * plugin, which only the main thread reaches.
 */
export type HookReference =
  | { readonly kind: 'inside'; readonly name: string; readonly url: string; readonly exported: string }
  | {
      readonly kind: 'isolated';
      readonly name: string;
      readonly plugin: string;
      readonly phases: readonly HookPhase[];
    };

export interface LoadedHook {
  readonly reference: HookReference;
  readonly hook: InspectionHook | IsolatedHook;
}

export interface HookList {
  readonly names: readonly string[];
  /** The option, for messages: `[inspector] hooks`. */
  readonly label: string;
}

/** Throws an Error that names the option, the hook or the plugin at fault. */
export async function loadHooks(
  points: EntryPoints,
  { names, label }: HookList,
  configuration: Configuration,
): Promise<readonly LoadedHook[]> {
  const hooks: LoadedHook[] = [];
  // the names that earlier hooks in the list provide, each with the name of the hook that provides it
  const present = new Map<string, string>();
  for (const written of names) {
    const name = hyphenated(written);
    const loaded = await points.load('ironic.inspection.hooks', name, label);
    const hook = loaded.value as InspectionHook;
    const missing = (hook.dependencies ?? []).filter((needed) => !present.has(hyphenated(needed)));
    if (missing.length > 0) {
      throw new Error(`${label}: ${name} needs ${missing.join(', ')} before it in the list.`);
    }
    for (const role of hook.replaces === undefined ? [name] : [name, hyphenated(hook.replaces)]) {
      const other = present.get(role) ?? name;
      if (other !== name)
        throw new Error(`${label}: ${other} and ${name} both provide ${role}; list only one of them.`);
      present.set(role, name);
    }
    await checkConfiguration(name, hook, configuration);
    hooks.push({ reference: referenceTo(name, loaded), hook });
  }
  return hooks;
}

function referenceTo(name: string, { isInside, plugin, url, exported, value }: Loaded): HookReference {
  if (isInside) return { kind: 'inside', name, url, exported };
  return { kind: 'isolated', name, plugin, phases: hookPhases.filter((phase) => phase in value) };
}

/** The hooks that run in the processes of their plugins, by name. */
export const isolatedHooksOf = (hooks: readonly LoadedHook[]): ReadonlyMap<string, IsolatedHook> =>
  new Map(
    hooks
      .filter(({ reference }) => reference.kind === 'isolated')
      .map(({ reference, hook }) => [reference.name, hook as IsolatedHook]),
  );

async function checkConfiguration(
  name: string,
  hook: InspectionHook,
  configuration: Configuration,
): Promise<void> {
  try {
    // a hook that runs in its plugin's process returns a promise here, although hooks are synchronous
    await hook.checkConfiguration?.(configuration);
  } catch (error) {
    throw new Error(`Inspection hook ${name}: ${reasonOf(error)}`, { cause: error });
  }
}

// Loads and checks the inspection hooks that an option lists.
import { reasonOf } from '../model/faults.ts';
import type { Configuration, InspectionHook } from '../plugin-api/index.ts';
import { hyphenated } from './hook-names.ts';
import { type HookPhase, hookPhases, type IsolatedHook } from './hook-phases.ts';
import type { Losses } from './losses.ts';
import type { EntryPoints, Loaded } from './manifests/entry-points.ts';
import { blaming, flawOf } from './plugin-flaw.ts';

/**
 * A hook as plain data, for threads. `inside` hooks are imported in the thread. `isolated` hooks run in processes of their
 * plugin, which only the main thread reaches. A `lost` hook fails every inspection: its plugin was set aside.
 */
export type HookReference =
  | { readonly kind: 'inside'; readonly name: string; readonly url: string; readonly exported: string }
  | {
      readonly kind: 'isolated';
      readonly name: string;
      readonly plugin: string;
      readonly phases: readonly HookPhase[];
    }
  | { readonly kind: 'lost'; readonly name: string; readonly reason: string };

const HOOKS = 'ironic.inspection.hooks';

export interface LoadedHook {
  readonly reference: HookReference;
  readonly hook: InspectionHook | IsolatedHook;
}

export interface HookList {
  readonly names: readonly string[];
  /** The option, for messages: `[inspector] hooks`. */
  readonly label: string;
}

/** Throws an Error that names the option, the hook or the plugin at fault, unless it can be noted in `losses`. */
export async function loadHooks(
  points: EntryPoints,
  { names, label }: HookList,
  configuration: Configuration,
  losses: Losses,
): Promise<readonly LoadedHook[]> {
  const hooks: LoadedHook[] = [];
  // the names that earlier hooks in the list provide, each with the name of the hook that provides it
  const present = new Map<string, string>();
  for (const written of names) {
    const name = hyphenated(written);
    const loss = losses.of(() => points.require(HOOKS, name, label));
    if (loss !== undefined) {
      hooks.push({ reference: { kind: 'lost', name, reason: loss }, hook: {} });
      present.set(name, name);
      continue;
    }
    const loaded = await points.load(HOOKS, name, label);
    const hook = loaded.value as InspectionHook;
    refuseMissing({ name, hook, label }, points, present, losses);
    for (const role of hook.replaces === undefined ? [name] : [name, hyphenated(hook.replaces)]) {
      const other = present.get(role) ?? name;
      if (other !== name)
        throw new Error(`${label}: ${other} and ${name} both provide ${role}; list only one of them.`);
      present.set(role, name);
    }
    await blaming(points.owner(HOOKS, name), () => checkConfiguration(name, hook, configuration));
    hooks.push({ reference: referenceTo(name, loaded), hook });
  }
  return hooks;
}

interface Listed {
  readonly name: string;
  readonly hook: InspectionHook;
  readonly label: string;
}

/** Throws an Error if the list lacks a dependency of the hook; a PluginFlaw if there is no such dependency. */
function refuseMissing(
  { name, hook, label }: Listed,
  points: EntryPoints,
  present: ReadonlyMap<string, string>,
  losses: Losses,
): void {
  const missing = (hook.dependencies ?? []).map(hyphenated).filter((needed) => !present.has(needed));
  if (missing.length === 0) return;
  const error = new Error(`${label}: ${name} needs ${missing.join(', ')} before it in the list.`);
  const isPossible = missing.every((needed) => points.provides(HOOKS, needed));
  losses.bear(isPossible ? error : flawOf(points.owner(HOOKS, name), error));
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

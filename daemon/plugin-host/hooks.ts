// Loads and checks the inspection hooks that an option lists, at start.
import { reasonOf } from '../model/faults.ts';
import type { Configuration, InspectionHook } from '../plugin-api/index.ts';
import type { EntryPoints } from './manifests/entry-points.ts';

export interface HookReference {
  readonly name: string;
  readonly url: string;
  readonly exported: string;
}

export interface HookList {
  readonly names: readonly string[];
  /** The option, for messages: `[inspector] hooks`. */
  readonly label: string;
}

/** Throws an Error that says what to change in the configuration. */
export async function loadHooks(
  points: EntryPoints,
  { names, label }: HookList,
  configuration: Configuration,
): Promise<readonly HookReference[]> {
  const hooks: HookReference[] = [];
  // the names that satisfy a dependency so far, each with the hook that provides it
  const present = new Map<string, string>();
  for (const written of names) {
    const name = hyphenated(written);
    const { value, url, exported } = await points.load('ironic.inspection.hooks', name, label);
    const hook = value as InspectionHook;
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
    hooks.push({ name, url, exported });
  }
  return hooks;
}

// Hook names are written with hyphens or underscores
const hyphenated = (name: string) => name.replaceAll('_', '-');

async function checkConfiguration(
  name: string,
  hook: InspectionHook,
  configuration: Configuration,
): Promise<void> {
  try {
    // that of a plugin in a process of its own is a promise
    await hook.checkConfiguration?.(configuration);
  } catch (error) {
    throw new Error(`Inspection hook ${name}: ${reasonOf(error)}`, { cause: error });
  }
}

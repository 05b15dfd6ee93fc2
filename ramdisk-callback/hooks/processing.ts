// The configured hooks and built-in rules that reports are processed with.
import type { LoadedConfig } from '../../daemon/config/load.ts';
import type { HookReference } from '../../daemon/plugin-host/hooks.ts';
import type { Registry } from '../../daemon/plugin-host/registry.ts';
import { type Configuration, InspectionError, type InspectionHook } from '#plugin-api';
import { isolatedHook, type RunIsolated } from './isolated-hooks.ts';
import type { NamedHook } from './run-hooks.ts';
import type { Rule } from '../../daemon/model/rules/inspection-rule.ts';
import type { Masking } from '../rules/run-rules.ts';

/** Plain data, which can be sent to the worker threads. */
export interface ProcessingSetup {
  readonly hooks: readonly HookReference[];
  readonly configuration: Configuration;
  readonly depthLimit: number;
  readonly masking: Masking;
  /** Path of the rules file, or null. */
  readonly builtInRules: string | null;
}

export const processingSetup = (
  { config, values }: Pick<LoadedConfig, 'config' | 'values'>,
  { hooks }: Pick<Registry, 'hooks'>,
): ProcessingSetup => ({
  hooks,
  configuration: values,
  depthLimit: config.api.max_json_body_depth,
  masking: config.inspection_rules.mask_secrets,
  builtInRules: config.inspection_rules.built_in_rules,
});

/** `runIsolated`: runs the hooks whose plugins have processes of their own. */
export const loadReportHooks = (
  references: readonly HookReference[],
  runIsolated: RunIsolated,
): Promise<readonly NamedHook[]> =>
  Promise.all(
    references.map(async (reference) => {
      if (reference.kind === 'lost') return lostHook(reference);
      return reference.kind === 'inside' ? importedHook(reference) : isolatedHook(reference, runIsolated);
    }),
  );

/** A report that is processed without one of its hooks would be stored incompletely. */
function lostHook({ name, reason }: Extract<HookReference, { kind: 'lost' }>): NamedHook {
  const preprocess = () => {
    throw new InspectionError(`the hook is not loaded, so nothing of this report was stored: ${reason}`);
  };
  return { name, hook: { preprocess } };
}

async function importedHook({
  name,
  url,
  exported,
}: Extract<HookReference, { kind: 'inside' }>): Promise<NamedHook> {
  const module = (await import(url)) as Readonly<Record<string, InspectionHook>>;
  return { name, hook: module[exported] ?? {} };
}

/** Returns the rules of the file; none when `file` is null. Throws like `readRules`. */
export async function loadBuiltInRules(file: string | null): Promise<readonly Rule[]> {
  if (file === null) return [];
  const { readRules } = await import('../rules/read-rules.ts');
  return readRules(file, '[inspection_rules] built_in_rules');
}

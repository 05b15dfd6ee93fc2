// What reports are processed with: the hooks and rules that the configuration names.
import type { LoadedConfig } from '../daemon/config/load.ts';
import type { HookReference } from '../daemon/plugin-host/hooks.ts';
import type { Registry } from '../daemon/plugin-host/registry.ts';
import type { HookConfiguration, InspectionHook } from '#plugin-api';
import type { NamedHook } from './run-hooks.ts';
import type { Masking, Rule } from './rules/run-rules.ts';

/** Plain data, for the thread that does the work. */
export interface ProcessingSetup {
  readonly hooks: readonly HookReference[];
  readonly configuration: HookConfiguration;
  readonly depthLimit: number;
  readonly masking: Masking;
  /** A file; null: there are none. */
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

export const loadHooks = (references: readonly HookReference[]): Promise<readonly NamedHook[]> =>
  Promise.all(references.map(loadHook));

async function loadHook({ name, url, exported }: HookReference): Promise<NamedHook> {
  const module = (await import(url)) as Readonly<Record<string, InspectionHook>>;
  return { name, hook: module[exported] ?? {} };
}

/** Throws one sentence that names option, file, rule and flaw. */
export async function loadBuiltInRules(file: string | null): Promise<readonly Rule[]> {
  if (file === null) return [];
  const { readRules } = await import('./rules/read-rules.ts');
  return readRules(file, '[inspection_rules] built_in_rules');
}

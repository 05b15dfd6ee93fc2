// Reads options of the section [inspector], whose types plugin.json declares.
import type { HookConfiguration } from '#plugin-api';

export const listOption = ({ inspector }: HookConfiguration, name: string): readonly string[] =>
  (inspector?.[name] ?? []) as readonly string[];

export const textOption = ({ inspector }: HookConfiguration, name: string): string | null =>
  (inspector?.[name] ?? null) as string | null;

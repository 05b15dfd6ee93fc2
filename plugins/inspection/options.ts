// Options of the section [inspector], whose types the manifest beside this declares.
import type { HookConfiguration } from '#plugin-api';

export const listOption = ({ inspector }: HookConfiguration, name: string): readonly string[] =>
  (inspector?.[name] ?? []) as readonly string[];

export const textOption = ({ inspector }: HookConfiguration, name: string): string | null =>
  (inspector?.[name] ?? null) as string | null;

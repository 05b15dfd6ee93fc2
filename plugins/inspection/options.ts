// Reads options of the section [inspector], whose types plugin.json declares.
import type { Configuration } from '#plugin-api';

export const listOption = ({ inspector }: Configuration, name: string): readonly string[] =>
  (inspector?.[name] ?? []) as readonly string[];

export const textOption = ({ inspector }: Configuration, name: string): string | null =>
  (inspector?.[name] ?? null) as string | null;

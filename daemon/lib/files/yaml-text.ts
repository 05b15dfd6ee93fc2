// Writes YAML for people and scripts.
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

/** The writer is loaded on first use. Each value has a text of its own, without references to another. */
export function yamlText(value: unknown): string {
  const { stringify } = createRequire(import.meta.url)('yaml') as typeof Yaml;
  return stringify(value, { aliasDuplicateObjects: false });
}

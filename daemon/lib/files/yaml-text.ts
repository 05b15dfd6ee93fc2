// Writes YAML for people and scripts.
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

/** An object that occurs twice is written twice, without anchor and alias. The YAML package is loaded on first use. */
export function yamlText(value: unknown): string {
  const { stringify } = createRequire(import.meta.url)('yaml') as typeof Yaml;
  return stringify(value, { aliasDuplicateObjects: false });
}

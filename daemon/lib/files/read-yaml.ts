// Reads YAML files, such as inspection rules.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

/** Returns the parsed file. Throws an Error that says what is wrong with it. The parser is loaded on first use. */
export function readYaml(file: string): unknown {
  const { parse } = createRequire(import.meta.url)('yaml') as typeof Yaml;
  return parse(readFileSync(file, 'utf8'));
}

// Reads YAML, such as inspection rules.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

/** Returns the parsed file. Throws an Error that says what is wrong with it. */
export const readYaml = (file: string): unknown => parseYaml(readFileSync(file, 'utf8'));

/** Throws an Error that says what is wrong with the text. The parser is loaded on first use. */
export function parseYaml(text: string): unknown {
  const { parse } = createRequire(import.meta.url)('yaml') as typeof Yaml;
  return parse(text);
}

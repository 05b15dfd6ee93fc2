// Files that Ironic takes as YAML.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

/** The file's content. Throws an Error that says what is wrong with it. The parser is loaded when it is needed first. */
export function readYaml(file: string): unknown {
  const { parse } = createRequire(import.meta.url)('yaml') as typeof Yaml;
  return parse(readFileSync(file, 'utf8'));
}

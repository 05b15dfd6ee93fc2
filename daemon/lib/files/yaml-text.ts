// Writes YAML for people and scripts.
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { visibleText } from '../plain-text.ts';

/**
 * Characters that a terminal could obey are escapes in quoted texts, from which programs read the same value. An object that occurs
 * twice is written twice, without anchor and alias. The YAML package is loaded on first use.
 */
export function yamlText(value: unknown): string {
  const { Document, visit } = createRequire(import.meta.url)('yaml') as typeof Yaml;
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, scalar) {
      const { value: text } = scalar;
      // only quoted texts can have escapes
      if (typeof text === 'string' && visibleText(text) !== text) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return visibleText(document.toString());
}

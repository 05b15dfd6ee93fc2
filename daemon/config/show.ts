// Writes a loaded configuration as INI that loads to the same values, except for masked secrets. A comment above each value says
// where it was set.
import { MASK } from '../model/secrets.ts';
import { withoutReferences } from './interpolate.ts';
import type { LoadedConfig } from './load.ts';
import { valueText } from './option-value.ts';
import type { OptionValue } from './section-schema.ts';
import { sourceText } from './settings.ts';

/** Masks secrets that are set. */
export function showConfiguration({
  values,
  sources,
  secret,
}: Pick<LoadedConfig, 'values' | 'sources' | 'secret'>): string {
  return Object.entries(values)
    .map(([section, options]) => {
      const lines = Object.entries(options).map(([name, value]) => {
        const source = sources[section]?.[name] ?? { kind: 'default' };
        return `# ${sourceText(source)}\n${name} =${shown(value, secret[section]?.[name] === true)}\n`;
      });
      return `[${section}]\n${lines.join('')}`;
    })
    .join('\n');
}

/** Returns the value with a leading space, or nothing if it is empty, so that no line ends in a space. */
function shown(value: OptionValue, secret: boolean): string {
  const text = valueText(value);
  if (secret && text !== '') return ` ${MASK}`;
  const [first = '', ...continuation] = withoutReferences(text).split('\n');
  const quote = /^(?:".*"|'.*'|\s.*|.*\s)$/s.test(first) ? '"' : '';
  const start = first === '' ? '' : ` ${quote}${first}${quote}`;
  return [start, ...continuation].join('\n  ');
}

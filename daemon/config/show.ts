// Writes a loaded configuration as INI that loads to the same values, each below a comment on what set it.
import { MASK } from '../model/secrets.ts';
import { withoutReferences } from './interpolate.ts';
import type { LoadedConfig } from './load.ts';
import { valueText } from './option-value.ts';
import type { OptionValue } from './section-schema.ts';
import { sourceText } from './settings.ts';

/** Secrets that are set are masked. */
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

/** With the space before it; an empty value leaves no space at the end of its line. */
function shown(value: OptionValue, secret: boolean): string {
  const text = valueText(value);
  if (secret && text !== '') return ` ${MASK}`;
  const [first = '', ...continuation] = withoutReferences(text).split('\n');
  const quote = /^(?:".*"|'.*'|\s.*|.*\s)$/s.test(first) ? '"' : '';
  const start = first === '' ? '' : ` ${quote}${first}${quote}`;
  return [start, ...continuation].join('\n  ');
}

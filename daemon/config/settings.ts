// Which option is set to which text by what: the file first, then the environment over it.
import type { IniEntry } from './ini.ts';
import { allOptions, environmentVariable, findOption, label, type Option, type Options } from './options.ts';
import { warnUnknownEntries, warnUnknownVariable } from './unknown-names.ts';

export type Source =
  | { readonly kind: 'default' }
  | { readonly kind: 'file'; readonly file: string; readonly line: number }
  | { readonly kind: 'environment'; readonly variable: string };

/** `default`, `/etc/ironic/ironic.conf:12` or `IRONIC_API__PORT`. */
export function sourceText(source: Source): string {
  if (source.kind === 'file') return `${source.file}:${source.line}`;
  return source.kind === 'environment' ? source.variable : 'default';
}

export interface Setting {
  readonly text: string;
  readonly source: Source;
}

export interface Settings {
  readonly byOption: ReadonlyMap<Option, Setting>;
  readonly warnings: readonly string[];
}

// Options of ironic.conf that another option of ours decides.
const DECIDED_ELSEWHERE = new Map([
  ['[database] connection', 'the records are in the SQLite file that [database] path names'],
]);

/** Whether names in the section that no option has are warned of. */
export type WarnsOf = (section: string) => boolean;

export function settingsFromFile(
  options: Options,
  file: string,
  entries: readonly IniEntry[],
  warnsOf: WarnsOf,
): Settings {
  const byOption = new Map<Option, Setting>();
  const warnings: string[] = [];
  const unknown: IniEntry[] = [];
  for (const entry of entries) {
    const option = findOption(options, entry.section, entry.option);
    const source: Source = { kind: 'file', file, line: entry.line };
    const name = label({ section: entry.section, name: entry.option });
    const decidedBy = DECIDED_ELSEWHERE.get(name);
    if (option !== undefined) warnings.push(...assign(byOption, option, { text: entry.value, source }));
    else if (!warnsOf(entry.section)) continue;
    else if (decidedBy === undefined) unknown.push(entry);
    else warnings.push(`${sourceText(source)}: ${name} is ignored; ${decidedBy}`);
  }
  return { byOption, warnings: [...warnings, ...warnUnknownEntries(options, file, unknown)] };
}

/** Takes IRONIC_<SECTION>__<OPTION>, section and option in any case; other variables are not ours. */
export function settingsFromEnvironment(
  options: Options,
  environment: Readonly<Record<string, string | undefined>>,
  warnsOf: WarnsOf,
): Settings {
  const known = new Map(allOptions(options).map((option) => [environmentVariable(option), option]));
  const byOption = new Map<Option, Setting>();
  const warnings: string[] = [];
  for (const [variable, text] of Object.entries(environment)) {
    if (text === undefined || !/^IRONIC_.+__/.test(variable)) continue;
    const option = known.get(variable.toUpperCase());
    const source: Source = { kind: 'environment', variable };
    if (option === undefined) {
      const [section = ''] = variable.slice('IRONIC_'.length).split('__');
      if (warnsOf(section.toLowerCase())) warnings.push(warnUnknownVariable(known.keys(), variable));
    } else warnings.push(...assign(byOption, option, { text, source }));
  }
  return { byOption, warnings };
}

/** The last setting counts, as in oslo.config, unless the option is repeatable; gives a warning when it replaces another. */
function assign(byOption: Map<Option, Setting>, option: Option, setting: Setting): string[] {
  const earlier = byOption.get(option);
  const { schema } = option;
  const adds = earlier !== undefined && schema.type === 'array' && schema.repeatable === true;
  byOption.set(option, adds ? { ...setting, text: `${earlier.text},${setting.text}` } : setting);
  if (earlier === undefined || adds) return [];
  return [
    `${sourceText(setting.source)}: ${label(option)} is set again, which replaces ${sourceText(earlier.source)}`,
  ];
}

// Collects the text that the file or the environment sets for each option, and where it is set.
import type { IniEntry } from './ini.ts';
import {
  allOptions,
  environmentVariable,
  findOption,
  findRenamed,
  label,
  type Option,
  type Options,
} from './options.ts';
import { warnUnknownEntries, warnUnknownVariable } from './unknown-names.ts';

export type Source =
  | { readonly kind: 'default' }
  | { readonly kind: 'file'; readonly file: string; readonly line: number }
  | { readonly kind: 'environment'; readonly variable: string };

/** Returns `default`, or a place such as `/etc/ironic/ironic.conf:12` or `IRONIC_API__PORT`. */
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

// Options of Ironic's ironic.conf that other options of this daemon replace.
const DECIDED_ELSEWHERE = new Map([
  ['[database] connection', 'the database is the SQLite file [database] path'],
]);

/** Whether to warn of unknown options in the section. */
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
    const renamed = findRenamed(options, entry.section, entry.option);
    const option = findOption(options, entry.section, entry.option) ?? renamed;
    const source: Source = { kind: 'file', file, line: entry.line };
    const name = label({ section: entry.section, name: entry.option });
    if (renamed !== undefined) warnings.push(renamedText(source, name, renamed.name));
    const decidedBy = DECIDED_ELSEWHERE.get(name);
    if (option !== undefined) warnings.push(...assign(byOption, option, { text: entry.value, source }));
    else if (!warnsOf(entry.section)) continue;
    else if (decidedBy === undefined) unknown.push(entry);
    else warnings.push(`${sourceText(source)}: ${name} is ignored; ${decidedBy}`);
  }
  return { byOption, warnings: [...warnings, ...warnUnknownEntries(options, file, unknown)] };
}

/** Reads variables named IRONIC_<SECTION>__<OPTION>, with section and option in any case; ignores all others. */
export function settingsFromEnvironment(
  options: Options,
  environment: Readonly<Record<string, string | undefined>>,
  warnsOf: WarnsOf,
): Settings {
  const known = new Map(allOptions(options).map((option) => [environmentVariable(option), option]));
  const renamed = new Map(allOptions(options).flatMap(formerVariables));
  const byOption = new Map<Option, Setting>();
  const warnings: string[] = [];
  for (const [variable, text] of Object.entries(environment)) {
    if (text === undefined || !/^IRONIC_.+__/.test(variable)) continue;
    const current = renamed.get(variable.toUpperCase());
    const option = known.get(variable.toUpperCase()) ?? current;
    const source: Source = { kind: 'environment', variable };
    if (current !== undefined) warnings.push(renamedText(source, variable, environmentVariable(current)));
    if (option !== undefined) warnings.push(...assign(byOption, option, { text, source }));
    else if (warnsOf(sectionIn(variable))) warnings.push(warnUnknownVariable(known.keys(), variable));
  }
  return { byOption, warnings };
}

const formerVariables = (option: Option): (readonly [string, Option])[] =>
  (option.schema.formerly ?? []).map((name) => [environmentVariable({ ...option, name }), option]);

const renamedText = (source: Source, name: string, present: string): string =>
  `${sourceText(source)}: ${name} is the old name of ${present}; it still works, but use the new name`;

/**
 * As in oslo.config, the last setting of an option counts unless the option is repeatable. Returns a warning if a setting is
 * replaced.
 */
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

/** Returns the section of IRONIC_SECTION__OPTION, in lower case. */
const sectionIn = (variable: string): string =>
  (variable.slice('IRONIC_'.length).split('__')[0] ?? '').toLowerCase();

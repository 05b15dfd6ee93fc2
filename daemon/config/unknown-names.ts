// Warnings for unknown sections, options and environment variables. Each variable and each probable misspelling in the file gets
// its own warning; all other unknown options in the file, such as those for absent services in a full ironic.conf, share one.
import type { IniEntry } from './ini.ts';
import { nearestName } from './nearest-name.ts';
import type { Options } from './options.ts';

export function warnUnknownEntries(options: Options, file: string, entries: readonly IniEntry[]): string[] {
  const warnings: string[] = [];
  const ignored: IniEntry[] = [];
  for (const [section, group] of Map.groupBy(entries, (entry) => entry.section)) {
    const known = options.get(section);
    const meant = known === undefined ? nearestName(section, options.keys()) : undefined;
    if (meant !== undefined) {
      warnings.push(
        `${file}:${group[0]?.line}: there is no section [${section}], so its options are ignored; did you mean [${meant}]?`,
      );
      continue;
    }
    for (const entry of group) {
      const option = known && nearestName(entry.option, known.keys());
      if (option === undefined) ignored.push(entry);
      else {
        warnings.push(
          `${file}:${entry.line}: there is no option [${section}] ${entry.option}, so it is ignored; did you mean ${option}?`,
        );
      }
    }
  }
  return ignored.length === 0 ? warnings : [...warnings, summary(file, ignored)];
}

function summary(file: string, entries: readonly IniEntry[]): string {
  const sections = [...Map.groupBy(entries, (entry) => entry.section)].map(
    ([section, group]) => `[${section}] ${group.map(({ option, line }) => `${option} (${line})`).join(', ')}`,
  );
  return `${file}: unknown options (with line numbers), which are ignored: ${sections.join('; ')}`;
}

export function warnUnknownVariable(known: Iterable<string>, variable: string): string {
  const meant = nearestName(variable, known);
  return `${variable} does not match any option, so it is ignored${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

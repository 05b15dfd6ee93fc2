// What commands print: tables with aligned columns, JSON or YAML.
import { yamlText } from '../lib/files/yaml-text.ts';
import { visibleLine } from '../lib/plain-text.ts';
import type { Json, JsonObject } from '../model/json.ts';

/** Each row is one line, even if its cells have line ends. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((cells) => cells.map(visibleLine));
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const shown = (line: readonly string[]) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${lines.map(shown).join('\n')}\n`;
}

/** Returns a table of the objects, with the fields that `columns` names. */
export const tableOf = (columns: readonly string[], objects: readonly JsonObject[]): string =>
  textTable(
    columns,
    objects.map((object) => columns.map((column) => cellText(object[column]))),
  );

/** Text for the usage of commands that have the options OUTPUT. */
export const OUTPUT_HELP = `  --format FORMAT  table, json or yaml; the default is table, and --json is --format json
`;

export interface OutputValues {
  readonly format?: string | undefined;
  readonly json: boolean;
}

/** Returns `value` as JSON or YAML if the options ask for it, otherwise the text that `toText` returns. */
export function formatted<Value extends Json>(
  { json, format = json ? 'json' : 'table' }: OutputValues,
  value: Value,
  toText: (value: Value) => string,
): string {
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`;
  return format === 'yaml' ? yamlText(value) : toText(value);
}

/** Like `formatted` for items to which more may be added later: JSON has a line for each item, and YAML lists go on. */
export function formattedItems<Item extends object>(
  { json, format = json ? 'json' : 'table' }: OutputValues,
  items: readonly Item[],
  toText: (items: readonly Item[]) => string,
): string {
  if (format === 'json') return items.map((item) => `${JSON.stringify(item)}\n`).join('');
  if (format === 'yaml') return items.length === 0 ? '' : yamlText(items);
  return toText(items);
}

/** Returns the text of a value in a table; `-` for undefined or null. */
export const cellText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? '-').replaceAll('"', '');

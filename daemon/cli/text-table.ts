// Text that commands print: tables with aligned columns, or JSON.
import type { Json, JsonObject } from '../model/json.ts';

export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const shown = (line: readonly string[]) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${lines.map(shown).join('\n')}\n`;
}

/** A table of the objects' fields that `columns` names. */
export const tableOf = (columns: readonly string[], objects: readonly JsonObject[]): string =>
  textTable(
    columns,
    objects.map((object) => columns.map((column) => cellText(object[column]))),
  );

/** `value` as JSON for the option --json, otherwise as `toText` shows it. */
export const jsonOrText = <Value extends Json>(
  asJson: boolean,
  value: Value,
  toText: (value: Value) => string,
): string => (asJson ? `${JSON.stringify(value, null, 2)}\n` : toText(value));

/** Returns the text of a value in a table; `-` for undefined or null. */
export const cellText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? '-').replaceAll('"', '');

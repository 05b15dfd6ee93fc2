// Tables of text with aligned columns.
import type { Json } from '../model/json.ts';

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

/** Returns the text of a value in a table; `-` for undefined or null. */
export const cellText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? '-').replaceAll('"', '');

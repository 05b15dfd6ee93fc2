// Formats records for printing: all columns or some, as a table, JSON, YAML, CSV or bare values.
import { yamlText } from '../../lib/files/yaml-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { OUTPUT, TEXT, WrongArguments } from '../command.ts';
import { cellText, type OutputValues, textTable } from '../text-table.ts';

/** The options of commands that print records. */
export const RECORD_OUTPUT = {
  ...OUTPUT,
  format: { ...TEXT, short: 'f' },
  column: { ...TEXT, short: 'c', multiple: true },
  'sort-column': TEXT,
} as const;

/** Text for the usage of commands that have the options RECORD_OUTPUT. */
export const RECORD_OUTPUT_HELP = `  -f, --format FORMAT      table, json, yaml, csv or value; the default is table, and --json is --format json.
                           value prints values without names: a line for each record of a list, or for each field of one
                           record
  -c, --column COLUMN      only this column or field; can be repeated
  --sort-column COLUMN     sort the records by this column
`;

export interface RecordOutputValues extends OutputValues {
  readonly column?: readonly string[] | undefined;
  readonly 'sort-column'?: string | undefined;
}

export interface Shown {
  /** A table has a row for each record of a `list`, or for each field of `one` object. `bare`: only values, without names. */
  readonly layout: 'list' | 'one' | 'bare';
  readonly columns: readonly string[];
  readonly records: readonly JsonObject[];
  readonly cells?: Cells | undefined;
}

/** What the cells of a column show of the values, where they do not show all. JSON and YAML have whole values. */
export type Cells = Readonly<Record<string, (value: Json | undefined) => Json | undefined>>;

/** Returns the text to print. `reply`: what is printed as JSON and YAML when neither --column nor --sort-column is given. */
export function printed(output: RecordOutputValues, reply: Json, all: Shown): string {
  const shown = chosenFrom(all, output);
  const { columns, layout } = shown;
  const rows = () => rowsOf(shown).map((row) => row.map(plainText));
  switch (output.format ?? (output.json ? 'json' : 'table')) {
    case 'json':
      return `${JSON.stringify(shown === all ? reply : picked(shown), null, 2)}\n`;
    case 'yaml':
      return yamlText(shown === all ? reply : picked(shown));
    case 'csv':
      return linesOf([columns, ...rows()].map((row) => row.map(csvCell).join(',')));
    case 'value':
      return linesOf(rows().map((row) => row.join(layout === 'one' ? '\n' : ' ')));
    default:
      return tableText(shown);
  }
}

const whole = (value: Json | undefined) => value;

const rowsOf = ({ columns, records, cells = {} }: Shown): (Json | undefined)[][] =>
  records.map((record) => columns.map((name) => (cells[name] ?? whole)(record[name])));

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** Returns how to print a reply: as a list, as one object or as bare values. An object that holds only objects becomes a list. */
export function shownOf(content: Json): Shown {
  if (Array.isArray(content))
    return content.length > 0 && !content.some(isJsonObject)
      ? bare(content)
      : listOf(content.filter(isJsonObject));
  if (!isJsonObject(content)) return bare([content]);
  const named = Object.entries(content);
  if (named.length > 0 && named.every(([, each]) => isJsonObject(each)))
    return listOf(named.map(([name, each]) => ({ name, ...(each as JsonObject) })));
  return one(content);
}

/** Returns how to print one object: its fields, except lists of links. */
export const one = (object: JsonObject): Shown => ({
  layout: 'one',
  columns: Object.keys(object).filter((name) => !isLinks(object[name])),
  records: [object],
});

/** Lists records with all columns that at least one record has, except `links`. */
const listOf = (records: readonly JsonObject[]): Shown => {
  const columns = new Set(records.flatMap((each) => Object.keys(each)));
  columns.delete('links');
  return { layout: 'list', columns: [...columns], records };
};

const bare = (values: readonly Json[]): Shown => ({
  layout: 'bare',
  columns: ['value'],
  records: values.map((value) => ({ value })),
});

export function tableText(shown: Shown): string {
  const { layout, columns, records } = shown;
  if (columns.length === 0) return '';
  if (layout === 'list')
    return textTable(
      columns,
      rowsOf(shown).map((row) => row.map(cellText)),
    );
  if (layout === 'bare') return linesOf(records.map(({ value }) => cellText(value)));
  const [record = {}] = records;
  return textTable(
    ['field', 'value'],
    columns.map((name) => [name, fieldText(record[name])]),
  );
}

const fieldText = (value: Json | undefined): string =>
  typeof value === 'object' ? JSON.stringify(value) : cellText(value);

function chosenFrom(
  all: Shown,
  { column: columns = all.columns, 'sort-column': by }: RecordOutputValues,
): Shown {
  const isWhole = columns === all.columns && by === undefined;
  // without records, it is not known which columns they would have
  if (isWhole || all.records.length === 0) return isWhole ? all : { ...all, columns };
  for (const name of by === undefined ? columns : [...columns, by]) refuseUnknown(name, all.columns);
  return { ...all, columns, records: by === undefined ? all.records : sorted(all.records, by) };
}

function refuseUnknown(name: string, columns: readonly string[]): void {
  if (!columns.includes(name))
    throw new WrongArguments(
      `there is no column ${JSON.stringify(name)}: expected one of ${columns.join(', ')}`,
    );
}

const sorted = (records: readonly JsonObject[], by: string): readonly JsonObject[] => {
  const { compare } = new Intl.Collator('en', { numeric: true });
  return records.toSorted((a, b) => compare(plainText(a[by]), plainText(b[by])));
};

function picked({ layout, columns, records }: Shown): Json {
  const all = records.map((record) =>
    Object.fromEntries(columns.map((name) => [name, record[name] ?? null])),
  );
  return layout === 'one' ? (all[0] ?? null) : all;
}

/** Returns an empty text for null and undefined, so that scripts can test whether there is a value. */
const plainText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);

const csvCell = (text: string): string =>
  ['"', ',', '\n', '\r'].some((each) => text.includes(each)) ? `"${text.replaceAll('"', '""')}"` : text;

const isLinks = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((each) => isJsonObject(each) && 'href' in each);

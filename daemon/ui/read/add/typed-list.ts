// Reads a list of machines that a visitor pasted: comma-separated values with a line of titles.
import { csvLines } from '../../../lib/files/csv-rows.ts';

export const listFields = [
  'name',
  'address',
  'username',
  'password',
  'driver',
  'resource_class',
  'rack',
  'unit',
  'height',
  'serial_number',
  'bmc_mac',
  'port_macs',
] as const;
export type ListField = (typeof listFields)[number];

export interface TypedRow {
  /** The number of the line, from 1. */
  readonly line: number;
  readonly values: Readonly<Partial<Record<ListField, string>>>;
  /** What is wrong with the form of the line. */
  readonly problems: readonly string[];
}

export interface TypedList {
  readonly rows: readonly TypedRow[];
  /** Titles that are no fields; their columns are left out. */
  readonly leftOut: readonly string[];
  /** Why nothing of the text can be read. */
  readonly problem: string | undefined;
}

/** Other titles of the same fields, in small letters, without blanks and signs; also those of lists of makers. */
const ALIASES: Readonly<Record<string, ListField>> = {
  bmcaddress: 'address',
  bmc: 'address',
  ip: 'address',
  ipaddress: 'address',
  user: 'username',
  bmcusername: 'username',
  bmcuser: 'username',
  bmcpassword: 'password',
  class: 'resource_class',
  serial: 'serial_number',
  servicetag: 'serial_number',
  bmcmac: 'bmc_mac',
  idracmac: 'bmc_mac',
  ilomac: 'bmc_mac',
  mac: 'port_macs',
  macs: 'port_macs',
  hostname: 'name',
};
const BY_TITLE: ReadonlyMap<string, ListField> = new Map([
  ...Object.entries(ALIASES),
  ...listFields.map((field) => [plainTitle(field), field] as const),
]);

function plainTitle(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

const MOST_ROWS = 500;
const LONGEST_CELL = 255;

const refused = (problem: string): TypedList => ({ rows: [], leftOut: [], problem });

/** Never throws. */
export function typedList(text: string): TypedList {
  if (text.trim() === '')
    return refused('The list is empty: paste a line of titles, and a line for each machine.');
  if (text.includes('\u0000'))
    return refused(
      'This is no text: it has bytes that no list has. Save the table as CSV (UTF-8), not as a workbook.',
    );
  if (text.includes('\uFFFD'))
    return refused(
      'The list is not in UTF-8: some characters cannot be read. Save the table as CSV (UTF-8).',
    );
  const clean = text.replace(/^\uFEFF/, '');
  const [head, ...lines] = csvLines(clean, separatorOf(clean));
  if (head?.fields === undefined)
    return refused('The first line has a quoted title without a closing quote.');
  if (lines.length > MOST_ROWS)
    return refused(
      `The list has ${lines.length} machines; expected at most ${MOST_ROWS}: add them in parts.`,
    );
  const named = head.fields.map((title) => BY_TITLE.get(plainTitle(title)));
  if (named.every((field) => field === undefined))
    return refused(
      `The first line must have the titles of the columns. Expected some of ${listFields.join(', ')}.`,
    );
  const twice = named.find((field, at) => field !== undefined && named.indexOf(field) !== at);
  if (twice !== undefined) return refused(`Two columns are ${twice}: keep one of them.`);
  if (lines.length === 0) return refused('The list has titles, and no machine below them.');
  const leftOut = head.fields.filter((title, at) => named[at] === undefined && title !== '');
  return { problem: undefined, leftOut, rows: lines.map((line) => typedRow(line, named)) };
}

/** Spreadsheets write semicolons where commas separate decimals, and a copied table has tabs. */
function separatorOf(text: string): string {
  const [first = ''] = text.trimStart().split('\n');
  return ['\t', ';'].find((each) => first.includes(each)) ?? ',';
}

function typedRow(
  { line, fields }: ReturnType<typeof csvLines>[number],
  named: readonly (ListField | undefined)[],
): TypedRow {
  if (fields === undefined) return { line, values: {}, problems: ['A quoted value has no closing quote.'] };
  const extra = fields.slice(named.length).filter((cell) => cell !== '').length;
  const cells = named.flatMap((field, at): (readonly [ListField, string])[] => {
    const cell = fields[at] ?? '';
    return field === undefined || cell === '' ? [] : [[field, cell]];
  });
  return {
    line,
    values: Object.fromEntries(cells),
    problems: [
      ...(extra === 0
        ? []
        : [`The line has ${fields.length} values, and the first line ${named.length} titles.`]),
      ...cells.flatMap(([field, cell]) => cellProblems(field, cell)),
    ],
  };
}

function cellProblems(field: ListField, cell: string): readonly string[] {
  if (cell.length > LONGEST_CELL)
    return [`${field} has ${cell.length} characters; expected at most ${LONGEST_CELL}.`];
  if (field === 'password') return [];
  if (/\p{Cc}/u.test(cell)) return [`${field} has control characters.`];
  // a spreadsheet that later opens a list with this value would run it
  return /^[=+@]/.test(cell) || /^-\D/.test(cell)
    ? [`${field} begins with ${cell.charAt(0)}, as a formula of a spreadsheet does: write its value.`]
    : [];
}

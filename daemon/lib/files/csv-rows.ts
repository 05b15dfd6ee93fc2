// Splits comma-separated values into rows of fields, as RFC 4180 describes them, except that a field cannot contain line ends.

export interface CsvRow {
  /** The number of the line in the file, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** A row whose fields are undefined when a quoted field has no closing quote. */
export interface CsvLine {
  readonly line: number;
  readonly fields: readonly string[] | undefined;
}

/**
 * Leaves out empty lines, and blanks around fields. A quoted field may contain commas, and also quotes if each is doubled. Throws
 * an Error when a closing quote is missing. `file`: the path, for the message.
 */
export const csvRows = (file: string, text: string): readonly CsvRow[] =>
  csvLines(text).map(({ line, fields }) => {
    // the line is not shown, because it may contain passwords
    if (fields === undefined) throw new Error(`${file}, line ${line}: a quoted field has no closing quote`);
    return { line, fields };
  });

/** Like `csvRows`, for a text whose lines are judged one by one. `separator`: one character. */
export const csvLines = (text: string, separator = ','): readonly CsvLine[] =>
  text
    .split('\n')
    .map((content, index) => ({ content, line: index + 1 }))
    .filter(({ content }) => content.trim() !== '')
    .map(({ content, line }) => ({ line, fields: fieldsOf(content, separator) }));

function fieldsOf(line: string, separator: string): readonly string[] | undefined {
  const fields: string[] = [];
  for (let at = 0; at <= line.length;) {
    const end = line.charAt(at) === '"' ? afterQuotes(line, at) : at;
    if (end === undefined) return undefined;
    const comma = line.indexOf(separator, end);
    const next = comma === -1 ? line.length : comma;
    const field = line.slice(at, next).trim();
    fields.push(end === at ? field : field.slice(1, -1).replaceAll('""', '"'));
    at = next + 1;
  }
  return fields;
}

/** The position after the closing quote of the field that begins at `start`; undefined when there is none. */
function afterQuotes(line: string, start: number): number | undefined {
  for (let quote = line.indexOf('"', start + 1); quote !== -1; quote = line.indexOf('"', quote + 2))
    if (line.charAt(quote + 1) !== '"') return quote + 1;
  return undefined;
}

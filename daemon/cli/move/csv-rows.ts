// Splits comma-separated values into rows of fields, as RFC 4180 describes them, except that a field cannot contain line ends.

/** Leaves out empty lines. A quoted field may contain commas, and also quotes if each is doubled. */
export const csvRows = (text: string): readonly (readonly string[])[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(fieldsOf);

function fieldsOf(line: string): readonly string[] {
  const fields: string[] = [];
  for (let at = 0; at <= line.length;) {
    const end = line.charAt(at) === '"' ? afterQuotes(line, at) : at;
    const comma = line.indexOf(',', end);
    const next = comma === -1 ? line.length : comma;
    const field = line.slice(at, next).trim();
    fields.push(end === at ? field : field.slice(1, -1).replaceAll('""', '"'));
    at = next + 1;
  }
  return fields;
}

/** The position after the closing quote of the field that begins at `start`. */
function afterQuotes(line: string, start: number): number {
  for (let quote = line.indexOf('"', start + 1); quote !== -1; quote = line.indexOf('"', quote + 2))
    if (line.charAt(quote + 1) !== '"') return quote + 1;
  return line.length;
}

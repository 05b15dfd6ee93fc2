// Splits comma-separated values into rows of fields, as RFC 4180 describes them.

/** Empty lines are left out. A field in quotes may contain commas, line ends, and quotes that are doubled. */
export function csvRows(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let quoted = false;
  const endField = () => {
    row.push(field.trim());
    field = '';
  };
  const endRow = () => {
    endField();
    if (row.some((each) => each !== '')) rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quoted && character === '"' && text.charAt(at + 1) === '"') {
      field += '"';
      at += 1;
    } else if (character === '"' && (quoted || field === '')) quoted = !quoted;
    else if (!quoted && character === ',') endField();
    else if (!quoted && character === '\n') endRow();
    else field += character;
  }
  endRow();
  return rows;
}

// JSON values as Python prints them: rules are written against that form.
import { isJsonObject, type Json } from '../../daemon/model/json.ts';

/** What Python's str() makes of the value: True, None, [1, 'a']. */
export const pythonText = (value: Json): string => (typeof value === 'string' ? value : pythonRepr(value));

function pythonRepr(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return quoted(value);
  if (isJsonObject(value)) {
    const entries = Object.entries(value).map(([key, part]) => `${quoted(key)}: ${pythonRepr(part)}`);
    return `{${entries.join(', ')}}`;
  }
  return `[${value.map(pythonRepr).join(', ')}]`;
}

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  return quote + escaped.replaceAll(quote, `\\${quote}`) + quote;
}

// JSON values as Python prints them: rules are written against that form.
import { isJsonObject, type Json } from '../../daemon/model/json.ts';
import { floatText, isInteger } from './python-numbers.ts';

/** What Python's str() makes of the value: True, None, [1, 'a']. */
export const pythonText = (value: Json): string => (typeof value === 'string' ? value : pythonRepr(value));

/** What Python's repr() makes of it: as pythonText, with quotes around a text. */
export function pythonRepr(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return isInteger(value) ? String(BigInt(value)) : floatText(value);
  if (typeof value === 'string') return quoted(value);
  if (isJsonObject(value)) {
    const entries = Object.entries(value).map(([key, part]) => `${quoted(key)}: ${pythonRepr(part)}`);
    return `{${entries.join(', ')}}`;
  }
  return `[${value.map(pythonRepr).join(', ')}]`;
}

/** What Python's ascii() makes of it. */
export const pythonAscii = (value: Json): string => pythonRepr(value).replaceAll(/[^\0-\x7f]/gu, escaped);

const UNPRINTABLE = /[\p{C}\p{Z}\\]/gu;
const SHORT: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  ' ': ' ',
};

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const safe = text.replaceAll(UNPRINTABLE, (character) => SHORT[character] ?? escaped(character));
  return quote + safe.replaceAll(quote, `\\${quote}`) + quote;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x1_00) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x1_00_00 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

// Writes JSON values as Python prints them, which is what existing rules expect.
import { isJsonObject, type Json } from '../../daemon/model/json.ts';
import { floatText, isInteger } from './python-numbers.ts';

/** Returns the value as Python's str() writes it: True, None, [1, 'a']. */
export const pythonText = (value: Json): string => (typeof value === 'string' ? value : pythonRepr(value));

/** Returns the value as Python's repr() writes it: like `pythonText`, but with quotes around a string. */
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

/** Returns the value as Python's ascii() writes it. */
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

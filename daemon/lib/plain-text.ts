// Shows or removes what a terminal would obey in a text instead of show, such as codes that move the cursor or set colours (ECMA-48).

const ESCAPE = '\x1b';

// the control characters except tabs and line ends, and the characters that change the direction of text or show nothing
const UNSAFE = /(?!\r\n|[\t\n])[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/**
 * Returns the text with an escape such as `\u001b` for every character that a terminal could obey, except tabs and line ends. JSON
 * stays JSON, with the same value.
 */
export const visibleText = (text: string): string =>
  text.replaceAll(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Returns the text as `visibleText` does, on one line: its tabs and line ends are escapes such as `\n`, too. */
export const visibleLine = (text: string): string =>
  visibleText(text.replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r'));

/** Returns the text as a JSON string in which every character that a terminal could obey is an escape. */
export const quotedText = (text: string): string => visibleText(JSON.stringify(text));

/** Returns the text without escape sequences and control characters, except tabs and line feeds. */
export function plainText(text: string): string {
  const [first = '', ...escaped] = text.split(ESCAPE);
  const visible = [first, ...escaped.map((part) => part.slice(sequenceLength(part)))].join('');
  return Array.from(visible, (character) => (isShown(character) ? character : '')).join('');
}

const isShown = (character: string): boolean =>
  character === '\n' ||
  character === '\t' ||
  (character >= ' ' && character < '\x7f') ||
  // from 0x7f to 0x9f are DEL and the control characters C1, which some terminals obey
  character >= '\xa0';

/** Returns how many characters at the start of `part` belong to the escape sequence whose escape character precedes `part`. */
function sequenceLength(part: string): number {
  if (part.startsWith('[')) return endOf(part, 1, (code) => code >= 0x40 && code <= 0x7e);
  // a title or link ends with BEL, or with the next escape character
  if (part.startsWith(']')) return endOf(part, 1, (code) => code === 0x07);
  return endOf(part, 0, (code) => code >= 0x30 && code <= 0x7e);
}

function endOf(part: string, from: number, isLast: (code: number) => boolean): number {
  for (let at = from; at < part.length; at += 1) if (isLast(part.charCodeAt(at))) return at + 1;
  return part.length;
}

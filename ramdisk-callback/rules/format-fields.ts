// Parses strings in the syntax of Python's str.format.

/** A field of a format string: `{root.attribute[key]!conversion:format}`. */
export interface FormatField {
  /** The text between the braces. */
  readonly source: string;
  readonly root: string;
  readonly steps: readonly { readonly key: string; readonly isAttribute: boolean }[];
  readonly conversion: '' | 's' | 'r' | 'a';
  /** May contain further fields. */
  readonly format: string;
}

/** The reason why a string cannot be filled in. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
}

const TOKEN = /\{\{|\}\}|[{}]/g;

/** Returns literal strings and fields, in order. Throws FieldError. */
export function parseFields(text: string): readonly (string | FormatField)[] {
  const parts: (string | FormatField)[] = [];
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    if (token === null) return [...parts, text.slice(at)];
    parts.push(text.slice(at, token.index));
    at = TOKEN.lastIndex;
    if (token[0] === '}') throw new FieldError(`a } without a matching {; write a literal brace twice`);
    if (token[0] === '{') {
      const field = fieldAt(text, at);
      parts.push(field);
      at += field.source.length + 1;
    } else parts.push(token[0].charAt(0));
  }
}

/** A key in brackets may contain any character except `]`. */
const REFERENCE = /^(?:\[[^\]]*\]?|[^[\]{}!:]|\])*/;
const NAME = /^([^.[]*)((?:\[[^\]]+\]|\.[^.[]+)*)$/;

/** Returns the field whose opening brace is just before `start`. */
function fieldAt(text: string, start: number): FormatField {
  const rest = text.slice(start);
  const name = REFERENCE.exec(rest)?.[0] ?? '';
  const isConverted = rest.charAt(name.length) === '!';
  const conversion = isConverted ? rest.charAt(name.length + 1) : '';
  const head = name.length + (isConverted ? 2 : 0);
  const end = rest.charAt(head) === ':' ? endOfFormat(rest, head + 1) : head;
  const source = rest.slice(0, end);
  const path = pathIn(name);
  if (rest.charAt(end) !== '}' || !isConversion(conversion) || path === undefined)
    throw new FieldError(`{${source} is not a reference of the form {inventory[cpu][count]}`);
  return { source, ...path, conversion, format: source.slice(head + 1) };
}

function pathIn(name: string): Pick<FormatField, 'root' | 'steps'> | undefined {
  const [, root, steps] = NAME.exec(name) ?? [];
  if (root === undefined || steps === undefined) return undefined;
  const keys = [...steps.matchAll(/\[([^\]]+)\]|\.([^.[]+)/gy)];
  return {
    root,
    steps: keys.map(([, key, attribute]) => ({
      key: key ?? attribute ?? '',
      isAttribute: attribute !== undefined,
    })),
  };
}

const isConversion = (letter: string): letter is FormatField['conversion'] =>
  ['', 's', 'r', 'a'].includes(letter);

function endOfFormat(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

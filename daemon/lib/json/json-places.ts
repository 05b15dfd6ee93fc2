// Finds where each value of a JSON text is, and where a text stops being JSON, for messages with line and column.

export interface JsonPlaces {
  /** The offset of each value, by its JSON pointer. For a member of an object, it is the offset of the key. */
  readonly places: ReadonlyMap<string, number>;
  /** The offset of the first flaw; 0 for a text nested too deeply to read, undefined when the text is JSON. */
  readonly flaw: number | undefined;
}

/** Returns `FILE:LINE:COLUMN`, as editors and terminals understand it. Line and column are counted from 1. */
export function placeIn(file: string, text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `${file}:${before.length}:${(before.at(-1) ?? '').length + 1}`;
}

export function jsonPlaces(text: string): JsonPlaces {
  const reader = new PlaceReader(text);
  try {
    reader.readText();
    return { places: reader.places, flaw: undefined };
  } catch (error) {
    if (error instanceof Flaw) return { places: reader.places, flaw: error.offset };
    // nested too deeply to read
    return { places: reader.places, flaw: 0 };
  }
}

class Flaw extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super('not JSON');
    this.offset = offset;
  }
}

const BLANKS = ' \n\r\t';
/** Characters that end a number or a word. */
const ENDS = `${BLANKS},:]}["{`;

class PlaceReader {
  readonly places = new Map<string, number>();
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readText(): void {
    this.#readValue('');
    this.#skipBlanks();
    if (this.#at < this.#text.length) throw new Flaw(this.#at);
  }

  #readValue(pointer: string): void {
    this.#skipBlanks();
    if (!this.places.has(pointer)) this.places.set(pointer, this.#at);
    const first = this.#text[this.#at];
    if (first === '{')
      this.#readItems('}', () => {
        this.#skipBlanks();
        const start = this.#at;
        const inner = `${pointer}/${inPointer(this.#readString())}`;
        this.places.set(inner, start);
        this.#expect(':');
        this.#readValue(inner);
      });
    else if (first === '[') this.#readItems(']', (index) => this.#readValue(`${pointer}/${index}`));
    else if (first === '"') this.#readString();
    else this.#readWord();
  }

  #readItems(closing: string, readItem: (index: number) => void): void {
    this.#at += 1;
    this.#skipBlanks();
    if (this.#text[this.#at] === closing) {
      this.#at += 1;
      return;
    }
    for (let index = 0; ; index += 1) {
      readItem(index);
      this.#skipBlanks();
      if (this.#text[this.#at] === closing) break;
      this.#expect(',');
    }
    this.#at += 1;
  }

  #readString(): string {
    const start = this.#at;
    if (this.#text[start] !== '"') throw new Flaw(start);
    let end = start + 1;
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === '\\' ? 2 : 1;
    return String(this.#parsed(start, end + 1));
  }

  #readWord(): void {
    const start = this.#at;
    let end = start;
    while (end < this.#text.length && !ENDS.includes(this.#text[end] ?? '')) end += 1;
    this.#parsed(start, end);
  }

  /** The value of a string, number or word. */
  #parsed(start: number, end: number): unknown {
    try {
      const value: unknown = JSON.parse(this.#text.slice(start, end));
      this.#at = end;
      return value;
    } catch {
      throw new Flaw(start);
    }
  }

  #expect(character: string): void {
    this.#skipBlanks();
    if (this.#text[this.#at] !== character) throw new Flaw(this.#at);
    this.#at += 1;
  }

  #skipBlanks(): void {
    while (this.#at < this.#text.length && BLANKS.includes(this.#text[this.#at] ?? '')) this.#at += 1;
  }
}

/** Returns the key as it stands in a JSON pointer (RFC 6901). */
export const inPointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

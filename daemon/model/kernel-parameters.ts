// Words of a kernel's command line by name.

/** Null: the bare word, without a value. A value that has white space in it stands in double quotes. */
export type KernelParameters = Readonly<Record<string, string | null>>;

const WORD = /^([^\s="\p{Cc}]+)(?:=((?:"[^"\p{Cc}]*"|[^\s"\p{Cc}])*))?$/u;

/** Of a name that is repeated the last value. Undefined when the text is not `NAME` and `NAME=VALUE` with blanks between. */
export function parseKernelParameters(text: string): KernelParameters | undefined {
  const words = (text.match(/(?:"[^"]*"|\S)+/g) ?? []).map((word) => WORD.exec(word));
  if (words.includes(null)) return undefined;
  return Object.fromEntries(words.map((word) => [word?.[1] ?? '', word?.[2] ?? null]));
}

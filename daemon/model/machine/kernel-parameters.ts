// Parses kernel command lines.

/** Values by name. Null: a word without a value. The double quotes around a value or a part of it are kept. */
export type KernelParameters = Readonly<Record<string, string | null>>;

const WORD = /^([^\s="\p{Cc}]+)(?:=((?:"[^"\p{Cc}]*"|[^\s"\p{Cc}])*))?$/u;

/** If a name is repeated, the last value counts. Returns undefined unless all words are `NAME` or `NAME=VALUE`. */
export function parseKernelParameters(text: string): KernelParameters | undefined {
  const words = (text.match(/(?:"[^"]*"|\S)+/g) ?? []).map((word) => WORD.exec(word));
  if (words.includes(null)) return undefined;
  return Object.fromEntries(words.map((word) => [word?.[1] ?? '', word?.[2] ?? null]));
}

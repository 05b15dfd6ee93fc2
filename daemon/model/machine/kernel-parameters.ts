// Kernel command lines: how they are read, and which parameters every boot loader passes on as they are written.

/** Values by name. Null: a word without a value. The double quotes around a value or a part of it are kept. */
export type KernelParameters = Readonly<Record<string, string | null>>;

const WORD = /^([^\s="\p{Cc}]+)(?:=((?:"[^"\p{Cc}]*"|[^\s"\p{Cc}])*))?$/u;

/** If a name is repeated, the last value counts. Returns undefined unless all words are `NAME` or `NAME=VALUE`. */
export function parseKernelParameters(text: string): KernelParameters | undefined {
  const words = (text.match(/(?:"[^"]*"|\S)+/g) ?? []).map((word) => WORD.exec(word));
  if (words.includes(null)) return undefined;
  return Object.fromEntries(words.map((word) => [word?.[1] ?? '', word?.[2] ?? null]));
}

const NAME = /^[A-Za-z0-9_.-]+$/;
/** Printable ASCII characters, those of a value in quotes also blanks. GRUB would add backslashes to quotes, ' and \. */
const BARE = /^[!#-&(-[\]-~]*$/;
const QUOTED = /^"[ !#-&(-[\]-~]*"$/;
const LONGEST = 2048;

/**
 * Returns why a boot loader (iPXE, GRUB, pxelinux, isolinux) would not pass the parameters on as they are written, as part of a
 * sentence; undefined when all of them do.
 */
export function kernelParametersFlaw(parameters: KernelParameters): string | undefined {
  for (const [name, value] of Object.entries(parameters)) {
    const flaw = flawOf(name, value ?? '');
    if (flaw !== undefined) return flaw;
  }
  const { length } = kernelText(parameters);
  return length > LONGEST
    ? `the kernel command line has ${length} characters; at most ${LONGEST} fit`
    : undefined;
}

function flawOf(name: string, value: string): string | undefined {
  if (!NAME.test(name)) return `${JSON.stringify(name)} is not a name of letters, digits, _ . and -`;
  const of = `the value of ${name}, ${JSON.stringify(value)},`;
  if (!BARE.test(value) && !QUOTED.test(value))
    return `${of} has characters that a boot loader changes; allowed are printable ASCII characters without ' and \\, and blanks if double quotes enclose the value`;
  const own = changedByIpxe(value);
  return own === undefined ? undefined : `${of} has ${JSON.stringify(own)}, which iPXE would change`;
}

/** iPXE replaces `${...}`, joins the words of a quoted value with single blanks, and takes some words for its own. */
function changedByIpxe(value: string): string | undefined {
  const text = ['${', '  '].find((each) => value.includes(each));
  const [, ...words] = value.split(' ');
  return text ?? words.find((word) => ['||', '&&', ';'].includes(word) || word.startsWith('#'));
}

/** The parameters as the kernel is to see them, in their order. */
export const kernelText = (parameters: KernelParameters): string =>
  Object.entries(parameters)
    .map(([name, value]) => (value === null ? name : `${name}=${value}`))
    .join(' ');

/**
 * The text in GRUB's language. GRUB removes quotes, and encloses each word with a blank in quotes of its own: the kernel gets
 * `"NAME=A B"` for `NAME="A B"`, and reads it likewise.
 */
export const grubWords = (text: string): string =>
  (text.match(/(?:"[^"]*"|[^\s"])+/g) ?? [])
    .map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll('"', '')}'`))
    .join(' ');

const PLAIN = /^[A-Za-z0-9_.,:/@%+=~-]+$/;

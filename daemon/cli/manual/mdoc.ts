// Writes manual pages in mdoc, the language of man and mandoc.

export interface Reference {
  readonly name: string;
  readonly section: 1 | 5 | 8;
}

export interface Page extends Reference {
  readonly about: string;
  /** How the program is called; not set for files. */
  readonly synopsis?: readonly string[];
  /** The description, as lines of mdoc. */
  readonly description: readonly string[];
  /** Commands to type. */
  readonly examples?: readonly string[];
  readonly also: readonly Reference[];
}

export const fileOf = ({ name, section }: Reference): string => `man${section}/${name}.${section}`;

export const pageText = ({ name, section, about, synopsis, description, examples, also }: Page): string =>
  [
    '.Dd $Mdocdate$',
    `.Dt ${name.toUpperCase()} ${section}`,
    '.Os',
    '.Sh NAME',
    `.Nm ${name}`,
    `.Nd ${about}`,
    ...(synopsis === undefined ? [] : ['.Sh SYNOPSIS', ...literal(synopsis.join('\n'))]),
    '.Sh DESCRIPTION',
    ...description,
    ...(examples === undefined ? [] : ['.Sh EXAMPLES', ...literal(examples.join('\n'))]),
    '.Sh SEE ALSO',
    ...also
      .toSorted((a, b) => a.section - b.section || (a.name < b.name ? -1 : 1))
      .map((other, index) => `.Xr ${other.name} ${other.section}${index === also.length - 1 ? '' : ' ,'}`),
    '',
  ].join('\n');

/** Text that is shown unchanged, such as the usage of a command. */
export const literal = (text: string): readonly string[] => [
  '.Bd -literal',
  ...text
    .trimEnd()
    .split('\n')
    .map((line) => guarded(verbatim(line))),
  '.Ed',
];

/** Prose in which backticks enclose what is typed literally. In mdoc a sentence begins on a new line. */
export const prose = (text: string): readonly string[] =>
  text
    .trim()
    .replaceAll('\n', ' ')
    .split('`')
    .map((part, index) =>
      index % 2 === 1 ? `\\fB${verbatim(part)}\\fP` : escaped(part).replaceAll('. ', '.\n'),
    )
    .join('')
    .split('\n')
    .map((line) => guarded(line.trim()));

/** A list of terms, each with the lines that explain it. */
export const termList = (
  entries: readonly { readonly term: string; readonly lines: readonly string[] }[],
): readonly string[] => [
  '.Bl -tag -width Ds',
  ...entries.flatMap(({ term, lines }) => [`.It Sy ${verbatim(term)}`, ...lines]),
  '.El',
];

const escaped = (text: string): string => text.replaceAll('\\', '\\e');

/** Escapes hyphens too, because programs that show manual pages turn unescaped hyphens into typographic ones. */
const verbatim = (text: string): string => escaped(text).replaceAll('-', '\\-');

/** Guards a line that begins with a dot or an apostrophe, which would otherwise be read as a macro. */
const guarded = (line: string): string =>
  line.startsWith('.') || line.startsWith("'") ? `\\&${line}` : line;

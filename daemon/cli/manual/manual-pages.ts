// Turns the usages of commands into manual pages in mdoc.
import type { Command } from '../command.ts';

const PROGRAM = 'ironic-edge';

/** The text of each page, by its file's name. */
export async function pagesOf(program: Command): Promise<ReadonlyMap<string, string>> {
  const commands = Object.entries(await program.commands());
  const names = commands.map(([name]) => `${PROGRAM}-${name}`);
  const pages = new Map([
    [
      `${PROGRAM}.1`,
      pageOf({
        name: PROGRAM,
        about: 'provision the bare metal of one site',
        usages: [program.usage],
        also: names,
      }),
    ],
  ]);
  for (const [name, command] of commands)
    pages.set(
      `${PROGRAM}-${name}.1`,
      pageOf({
        name: `${PROGRAM}-${name}`,
        about: `the command ${name} of ${PROGRAM}`,
        usages: [...new Set(await usagesOf(command))],
        also: [PROGRAM],
      }),
    );
  return pages;
}

/** Of a command, and of those below it. */
async function usagesOf(command: Command): Promise<readonly string[]> {
  const below = Object.values(await command.commands());
  return [command.usage, ...(await Promise.all(below.map(usagesOf))).flat()];
}

interface Page {
  readonly name: string;
  readonly about: string;
  readonly usages: readonly string[];
  readonly also: readonly string[];
}

/** A usage begins with its lines of synopsis; below the first empty line is what they mean. */
function pageOf({ name, about, usages, also }: Page): string {
  return [
    '.Dd $Mdocdate$',
    `.Dt ${name.toUpperCase()} 1`,
    '.Os',
    '.Sh NAME',
    `.Nm ${name}`,
    `.Nd ${about}`,
    '.Sh DESCRIPTION',
    ...usages.flatMap(literal),
    '.Sh SEE ALSO',
    ...also.toSorted().map((other, index) => `.Xr ${other} 1${index === also.length - 1 ? '' : ' ,'}`),
    '',
  ].join('\n');
}

const literal = (text: string): readonly string[] => [
  '.Bd -literal',
  ...text.trimEnd().split('\n').map(escaped),
  '.Ed',
];

/** A backslash begins an escape; a line that begins with a point or an apostrophe is a macro. */
function escaped(line: string): string {
  const text = line.replaceAll('\\', '\\e').replaceAll('-', '\\-');
  return text.startsWith('.') || text.startsWith("'") ? `\\&${text}` : text;
}

// The manual pages of the program and its commands, made of their usages.
import { type Command, synopsisOf } from '../command.ts';
import { examples, firstExamples } from './examples.ts';
import { literal, type Page, type Reference } from './mdoc.ts';

const PROGRAM = 'ironic-edge';

/** `others`: the pages that are not about commands. */
export async function commandPages(program: Command, others: readonly Reference[]): Promise<readonly Page[]> {
  const commands = Object.entries(await program.commands());
  const main = pageOf(PROGRAM, 'provision the bare metal of one site', [program.usage], firstExamples);
  const pages = await Promise.all(
    commands.map(async ([name, command]) =>
      pageOf(
        `${PROGRAM}-${name}`,
        `the command ${name} of ${PROGRAM}`,
        [...new Set(await usagesOf(command))],
        examples[name] ?? [],
      ),
    ),
  );
  return [
    { ...main, also: [...pages, ...others] },
    ...pages.map((page) => ({ ...page, also: [main, ...others] })),
  ];
}

const pageOf = (name: string, about: string, usages: readonly string[], lines: readonly string[]) =>
  ({
    name,
    section: 1,
    about,
    synopsis: usages.flatMap(synopsisIn),
    description: usages.flatMap((usage) => [
      ...(usages.length > 1 ? [`.Ss ${commandIn(usage)}`] : []),
      ...literal(descriptionIn(usage)),
    ]),
    examples: lines.map((line) => `${PROGRAM} ${line}`),
  }) as const;

/** How the command is called, without the word `usage`. */
export const synopsisIn = (usage: string): readonly string[] =>
  synopsisOf(usage)
    .trimEnd()
    .split('\n')
    .map((line) => line.slice('usage: '.length));

export const descriptionIn = (usage: string): string =>
  usage.slice(synopsisOf(usage).length).replace(/^\n+/, '');

/** The words that name the command of a usage: `ironic-edge node deploy`. */
const commandIn = (usage: string): string => {
  const words = synopsisIn(usage)[0]?.split(' ') ?? [];
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  return words.slice(0, end < 0 ? words.length : end).join(' ');
};

/** The usages of a command and of its subcommands, at every depth. */
async function usagesOf(command: Command): Promise<readonly string[]> {
  const below = Object.values(await command.commands());
  return [command.usage, ...(await Promise.all(below.map(usagesOf))).flat()];
}

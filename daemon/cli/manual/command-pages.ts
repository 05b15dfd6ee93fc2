// The manual pages of the program and its commands, made of their usages.
import type { Command } from '../command.ts';
import { literal, type Page, type Reference } from './mdoc.ts';

const PROGRAM = 'ironic-edge';

/** `others`: the pages that are not about commands. */
export async function commandPages(program: Command, others: readonly Reference[]): Promise<readonly Page[]> {
  const commands = Object.entries(await program.commands());
  const main = pageOf(PROGRAM, 'provision the bare metal of one site', [program.usage]);
  const pages = await Promise.all(
    commands.map(async ([name, command]) =>
      pageOf(`${PROGRAM}-${name}`, `the command ${name} of ${PROGRAM}`, [
        ...new Set(await usagesOf(command)),
      ]),
    ),
  );
  return [
    { ...main, also: [...pages, ...others] },
    ...pages.map((page) => ({ ...page, also: [main, ...others] })),
  ];
}

const pageOf = (name: string, about: string, usages: readonly string[]) =>
  ({ name, section: 1, about, description: usages.flatMap(literal) }) as const;

/** The usages of a command and of its subcommands, at every depth. */
async function usagesOf(command: Command): Promise<readonly string[]> {
  const below = Object.values(await command.commands());
  return [command.usage, ...(await Promise.all(below.map(usagesOf))).flat()];
}

// Commands that are named by the words after the kind of record, such as `power on` after `node`. Commands with the same first
// word form a group: `power on` and `power off` form the group `power`.
import { type Command, groupOf, groupUsage, type LoadCommand } from '../command.ts';
import { passthruCallCommand } from './passthru-command.ts';
import type { RecordKind } from './record-kinds.ts';
import { readingRequest } from './record-request.ts';
import { requestCommand } from './request-command.ts';

export interface WordedCommand {
  readonly about: string;
  readonly load: LoadCommand;
}

export type WordedCommands = Readonly<Record<string, WordedCommand>>;

/** Makes the commands for the requests about one record, and for its vendor methods. */
export function requestCommands(kind: RecordKind): WordedCommands {
  const { requests = {}, vendorMethods } = kind;
  const methods = readingRequest('list the vendor methods', 'vendor_passthru/methods');
  const all = vendorMethods === true ? { ...requests, 'passthru list': methods } : requests;
  const commands = Object.entries(all).map(([words, request]) => {
    const load: LoadCommand = async () => requestCommand(kind, words, request);
    return [words, { about: request.about, load }] as const;
  });
  const call = { about: 'call a vendor method', load: async () => passthruCallCommand(kind) };
  return { ...Object.fromEntries(commands), ...(vendorMethods === true && { 'passthru call': call }) };
}

/** What each command does. The key is the command's words. */
export const aboutsOf = (commands: WordedCommands): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(commands).map(([words, { about }]) => [words, about]));

/** Returns the commands and groups of commands by their first word. `word`: the kind of record, for the usage of groups. */
export const byFirstWord = (
  word: string,
  commands: WordedCommands,
): Readonly<Record<string, Command | LoadCommand>> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(Object.entries(commands), ([words]) => words.split(' ')[0] ?? '')).map(
      ([first, all = []]) => [
        first,
        all[0]?.[0] === first ? all[0][1].load : groupFor(`${word} ${first}`, first, Object.fromEntries(all)),
      ],
    ),
  );

function groupFor(usage: string, first: string, all: WordedCommands): Command {
  const named = Object.fromEntries(
    Object.entries(all).map(([words, command]) => [words.slice(first.length + 1), command]),
  );
  return groupOf(
    groupUsage(usage, aboutsOf(named)),
    Object.fromEntries(Object.entries(named).map(([name, { load }]) => [name, load])),
  );
}

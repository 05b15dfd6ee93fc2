// The commands below `node` that come from the tables of verbs and requests; words such as `power on` become groups.
import { type Command, groupOf, groupUsage, type LoadCommand } from '../../command.ts';
import { nodeRequests } from './node-requests.ts';
import { nodeVerbs } from './node-verbs.ts';

interface Entry {
  readonly about: string;
  readonly load: LoadCommand;
}

const entries: Readonly<Record<string, Entry>> = Object.fromEntries([
  ...Object.entries(nodeVerbs).map(([words, verb]) => {
    const load: LoadCommand = async () => (await import('./verb-command.ts')).verbCommand(words, verb);
    return [words, { about: verb.about, load }];
  }),
  ...Object.entries(nodeRequests).map(([words, request]) => {
    const load: LoadCommand = async () =>
      (await import('./request-command.ts')).requestCommand(words, request);
    return [words, { about: request.about, load }];
  }),
]);

/** What each does, by its words. */
export const actAbouts: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(entries).map(([words, { about }]) => [words, about]),
);

/** By the first word. */
export const actCommands: Readonly<Record<string, Command | LoadCommand>> = Object.fromEntries(
  Object.entries(Object.groupBy(Object.keys(entries), (words) => words.split(' ')[0] ?? '')).map(
    ([first, all = []]) => [first, all[0] === first ? (entries[first] as Entry).load : groupFor(first, all)],
  ),
);

function groupFor(first: string, all: readonly string[]): Command {
  const named = all.map((words) => [words.slice(first.length + 1), entries[words] as Entry] as const);
  return groupOf(
    groupUsage(`node ${first}`, Object.fromEntries(named.map(([name, { about }]) => [name, about]))),
    Object.fromEntries(named.map(([name, { load }]) => [name, load])),
  );
}

// The commands below `node` that are declared in the tables of verbs and requests.
import type { LoadCommand } from '../../command.ts';
import {
  aboutsOf,
  byFirstWord,
  requestCommands,
  type WordedCommands,
} from '../../records/worded-commands.ts';
import { nodeKind } from '../node-kind.ts';
import { nodeVerbs } from './node-verbs.ts';

const verbCommands: WordedCommands = Object.fromEntries(
  Object.entries(nodeVerbs).map(([words, verb]) => {
    const load: LoadCommand = async () => (await import('./verb-command.ts')).verbCommand(words, verb);
    return [words, { about: verb.about, load }];
  }),
);

const commands: WordedCommands = { ...verbCommands, ...requestCommands(nodeKind) };

/** What each command does, by the command's words after `node`. */
export const actAbouts = aboutsOf(commands);

/** The commands, or groups of commands, by the first word after `node`. */
export const actCommands = byFirstWord('node', commands);

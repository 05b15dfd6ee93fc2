// Makes the commands of one kind of record: list, show, create, set, unset, delete, and further ones such as `trait list`.
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import {
  type Command,
  type CommandContext,
  commandOf,
  groupOf,
  groupUsage,
  OUTPUT,
  TEXT,
  WrongArguments,
} from '../command.ts';
import { cellText, formatted, OUTPUT_HELP } from '../text-table.ts';
import {
  assignmentIn,
  ASSIGNMENTS_HELP,
  assignedBody,
  offeredFields,
  assignedPath,
  pointerOf,
  settingIn,
} from './assignments.ts';
import { printed, RECORD_OUTPUT, RECORD_OUTPUT_HELP, type RecordOutputValues, one } from './print-records.ts';
import { commandLabel, pathOf, type RecordKind, recordKinds, type RecordWord } from './record-kinds.ts';
import { aboutsOf, byFirstWord, requestCommands, type WordedCommands } from './worded-commands.ts';

const abouts = {
  list: 'list all, or those that a filter selects',
  show: 'show every field',
  create: 'create one',
  set: 'change fields',
  unset: 'remove the values of fields',
  delete: 'delete one or more',
} as const;

/** `more`: further commands of the kind, by their words. */
export function recordCommand(word: RecordWord, more: WordedCommands = {}): Command {
  const kind = recordKinds.get(word);
  if (kind === undefined) throw new Error(`there is no kind of record ${word}`);
  const isWritten = Object.values(kind.fields).some(({ create }) => create === true);
  const commands = {
    list: listCommand(kind),
    ...(isWritten ? writingCommands(kind) : { show: showCommand(kind) }),
  };
  const requests = { ...requestCommands(kind), ...more };
  const shown = (Object.keys(commands) as (keyof typeof abouts)[]).map((name) => [name, abouts[name]]);
  const usage = groupUsage(word, { ...Object.fromEntries(shown), ...aboutsOf(requests) });
  return groupOf(usage, { ...commands, ...byFirstWord(word, requests) });
}

/** The commands `show`, `create`, `set`, `unset` and `delete`. */
export const writingCommands = (kind: RecordKind) =>
  ({
    show: showCommand(kind),
    create: createCommand(kind),
    set: setCommand(kind),
    unset: unsetCommand(kind),
    delete: deleteCommand(kind),
  }) as const;

function listCommand(kind: RecordKind): Command {
  return commandOf({
    usage: `usage: ironic-edge ${kind.command} list [--fields FIELD,...] [--filter NAME=VALUE]... [--format FORMAT]

Lists the records of this kind, with ${kind.columns.join(', ')}.

${listHelp(kind)}${RECORD_OUTPUT_HELP}
${ENVIRONMENT_HELP}`,
    options: LIST_OPTIONS,
    positionals: [],
    async run({ values }, context) {
      await printList(kind, values, context);
      return 0;
    },
  });
}

export const LIST_OPTIONS = { fields: TEXT, filter: { ...TEXT, multiple: true }, ...RECORD_OUTPUT } as const;

interface ListValues extends RecordOutputValues {
  readonly fields?: string | undefined;
  readonly filter?: readonly string[] | undefined;
}

/** Text for the usage of commands that have the options LIST_OPTIONS. */
export const listHelp = ({ fields }: RecordKind): string =>
  `  --fields FIELD,...       fields to show${Object.keys(fields).length === 0 ? '' : `, of:\n${wrapped(Object.keys(fields))}`}
  --filter NAME=VALUE      a parameter of the API, such as node=rack1-01; can be repeated
`;

const NAMES_IN_LINE = 5;

/** Wraps names into lines that are indented like the text that explains an option. */
function wrapped(names: readonly string[]): string {
  const lines = Array.from({ length: Math.ceil(names.length / NAMES_IN_LINE) }, (_, line) =>
    names.slice(line * NAMES_IN_LINE, (line + 1) * NAMES_IN_LINE).join(', '),
  );
  return lines.map((line) => `${' '.repeat(27)}${line}`).join(',\n');
}

export async function printList(
  { path, key, columns, cells }: RecordKind,
  values: ListValues,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const shown = values.fields?.split(',') ?? columns;
  const query = new URLSearchParams([['fields', shown.join(',')], ...(values.filter ?? []).map(filterIn)]);
  const records = await createApiClient(environment).list(`${path}?${query.toString()}`, key);
  stdout.write(printed(values, records, { layout: 'list', columns: shown, records, cells }));
}

function filterIn(text: string): [string, string] {
  const [name = '', ...value] = text.split('=');
  if (name !== '' && value.length > 0) return [name, value.join('=')];
  throw new WrongArguments(`--filter ${JSON.stringify(text)}: expected NAME=VALUE, such as node=rack1-01`);
}

function showCommand(kind: RecordKind): Command {
  const label = commandLabel(kind);
  return commandOf({
    usage: `usage: ironic-edge ${kind.command} show ${label} [--format FORMAT]

Shows every field of ${kind.one}. Passwords are masked.

${RECORD_OUTPUT_HELP}
${ENVIRONMENT_HELP}`,
    options: RECORD_OUTPUT,
    positionals: [label],
    async run({ values, positionals: [name] }, { environment, stdout }) {
      const { body } = await createApiClient(environment).request('GET', pathOf(kind, name));
      stdout.write(printed(values, body, one(isJsonObject(body) ? body : {})));
      return 0;
    },
  });
}

function createCommand(kind: RecordKind): Command {
  return commandOf({
    usage: `usage: ironic-edge ${kind.command} create FIELD=VALUE... [--format FORMAT]

Creates ${kind.one}, and prints the UUID of the new record.

${ASSIGNMENTS_HELP}
${OUTPUT_HELP}
${ENVIRONMENT_HELP}`,
    options: OUTPUT,
    positionals: [],
    rest: 'FIELD=VALUE',
    offers: offeredFields(kind.fields, 'create'),
    async run({ values, rest }, { environment, stdout }) {
      const created = await createApiClient(environment).post(
        kind.path,
        assignedBody(rest.map(assignmentIn)),
      );
      stdout.write(formatted(values, created, ({ uuid }) => `${cellText(uuid)}\n`));
      return 0;
    },
  });
}

function setCommand(kind: RecordKind): Command {
  return patchCommand(kind, {
    about: 'set',
    help: `Changes fields of ${kind.one}.\n\n${ASSIGNMENTS_HELP}`,
    argument: 'FIELD=VALUE',
    operation: settingIn,
  });
}

function unsetCommand(kind: RecordKind): Command {
  return patchCommand(kind, {
    about: 'unset',
    help: `Removes the values of fields of ${kind.one}. FIELD is a field of the API, or a key in a field, as in extra/rack.\n`,
    argument: 'FIELD',
    operation: (argument) => ({ op: 'remove', path: pointerOf(assignedPath(argument)) }),
  });
}

interface Patching {
  readonly about: 'set' | 'unset';
  readonly help: string;
  readonly argument: string;
  readonly operation: (argument: string) => JsonObject;
}

function patchCommand(kind: RecordKind, { about, help, argument, operation }: Patching): Command {
  const label = commandLabel(kind);
  const offers = offeredFields(kind.fields, 'update');
  return commandOf({
    usage: `usage: ironic-edge ${kind.command} ${about} ${label} ${argument}...\n\n${help}\n${ENVIRONMENT_HELP}`,
    options: {},
    positionals: [label],
    rest: argument,
    offers: about === 'set' ? offers : offers.map((field) => field.replace(/:?=$/, '')),
    async run({ positionals: [name], rest }, { environment }) {
      await createApiClient(environment).request('PATCH', pathOf(kind, name), rest.map(operation));
      return 0;
    },
  });
}

function deleteCommand(kind: RecordKind): Command {
  const label = commandLabel(kind);
  return commandOf({
    usage: `usage: ironic-edge ${kind.command} delete ${label}...

Deletes one or more records, in the given order. Stops at the first record that the daemon refuses to delete.

${ENVIRONMENT_HELP}`,
    options: {},
    positionals: [],
    rest: label,
    async run({ rest }, { environment }) {
      const api = createApiClient(environment);
      for (const name of rest) await api.request('DELETE', pathOf(kind, name));
      return 0;
    },
  });
}

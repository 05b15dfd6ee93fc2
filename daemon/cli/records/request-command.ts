// Makes a command of a request about one record.
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP, objectsIn } from '../api-client.ts';
import { type Command, commandOf, OUTPUT } from '../command.ts';
import { cellText, formatted, objectText, OUTPUT_HELP, tableOf } from '../text-table.ts';
import { labelOf, pathOf, type RecordKind } from './record-kinds.ts';
import type { RecordRequest } from './record-request.ts';

/** `words` are those of the command after the kind of record. */
export function requestCommand(
  kind: Pick<RecordKind, 'command' | 'path'>,
  words: string,
  request: RecordRequest,
): Command {
  const { about, takes, method, path, body, content } = request;
  const positionals = [labelOf(kind), ...takes];
  return commandOf({
    usage: `usage: ironic-edge ${kind.command} ${words} ${positionals.join(' ')}${method === 'GET' ? ' [--format FORMAT]' : ''}

${labelOf(kind)} (name or UUID): ${about}.

${OUTPUT_HELP}
${ENVIRONMENT_HELP}`,
    options: OUTPUT,
    positionals,
    async run({ values, positionals: [name = '', ...given] }, { environment, stdout }) {
      const url = `${pathOf(kind, name)}/${path(given)}`;
      const reply = await createApiClient(environment).request(method, url, body?.(given));
      const key = content?.(given);
      if (reply.body !== null) stdout.write(formatted(values, reply.body, (all) => textOf(within(all, key))));
      return 0;
    },
  });
}

const within = (reply: Json, key: string | undefined): Json =>
  (isJsonObject(reply) && key !== undefined ? reply[key] : undefined) ?? reply;

/** A table of a list, or of objects by their names. */
export function textOf(content: Json): string {
  if (Array.isArray(content)) return listText(content);
  const named = isJsonObject(content) ? Object.entries(content) : [];
  return named.length > 0 && named.every(([, each]) => isJsonObject(each))
    ? recordsText(named.map(([name, each]) => ({ name, ...(each as JsonObject) })))
    : objectText(content);
}

/** A line for each text. */
const listText = (list: readonly Json[]): string =>
  list.length > 0 && objectsIn([...list]).length === 0
    ? list.map((each) => `${cellText(each)}\n`).join('')
    : recordsText(objectsIn([...list]));

/** A table of all columns that one of the records has. */
function recordsText(records: readonly JsonObject[]): string {
  const columns = [...new Set(records.flatMap((each) => Object.keys(each)))];
  return tableOf(
    columns.filter((name) => name !== 'links'),
    records,
  );
}

// Makes a command from a request about one record.
import { isJsonObject, type Json } from '../../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import { type Command, commandOf } from '../command.ts';
import {
  printed,
  RECORD_OUTPUT,
  RECORD_OUTPUT_HELP,
  type RecordOutputValues,
  shownOf,
} from './print-records.ts';
import { commandLabel, pathOf, type RecordKind } from './record-kinds.ts';
import type { RecordRequest } from './record-request.ts';

/** `words`: the command's words after the kind of record. */
export function requestCommand(
  kind: Pick<RecordKind, 'command' | 'path'>,
  words: string,
  request: RecordRequest,
): Command {
  const { about, takes, method, path, body, content } = request;
  const positionals = [commandLabel(kind), ...takes];
  const reads = method === 'GET';
  const line = [kind.command, words, ...positionals, ...(reads ? ['[--format FORMAT]'] : [])].join(' ');
  return commandOf({
    usage: `usage: ironic-edge ${line}

For ${commandLabel(kind)}: ${about}.

${reads ? `${RECORD_OUTPUT_HELP}\n` : ''}${ENVIRONMENT_HELP}`,
    options: reads ? RECORD_OUTPUT : {},
    positionals,
    async run({ values, positionals: [name = '', ...given] }, { environment, stdout }) {
      const url = `${pathOf(kind, name)}/${path(given)}`;
      const reply = await createApiClient(environment).request(method, url, body?.(given));
      if (reads) {
        const shown = shownOf(within(reply.body, content?.(given)));
        stdout.write(printed(values as RecordOutputValues, reply.body, shown));
      }
      return 0;
    },
  });
}

const within = (reply: Json, key: string | undefined): Json =>
  (isJsonObject(reply) && key !== undefined ? reply[key] : undefined) ?? reply;

// Makes a command of a request about one record.
import { isJsonObject, type Json } from '../../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import { type Command, commandOf } from '../command.ts';
import { printed, RECORD_OUTPUT, RECORD_OUTPUT_HELP, shownOf } from './print-records.ts';
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

${RECORD_OUTPUT_HELP}
${ENVIRONMENT_HELP}`,
    options: RECORD_OUTPUT,
    positionals,
    async run({ values, positionals: [name = '', ...given] }, { environment, stdout }) {
      const url = `${pathOf(kind, name)}/${path(given)}`;
      const reply = await createApiClient(environment).request(method, url, body?.(given));
      const key = content?.(given);
      if (reply.body !== null) stdout.write(printed(values, reply.body, shownOf(within(reply.body, key))));
      return 0;
    },
  });
}

const within = (reply: Json, key: string | undefined): Json =>
  (isJsonObject(reply) && key !== undefined ? reply[key] : undefined) ?? reply;

// Makes a command of a request about one node.
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP, pathOfNode } from '../../api-client.ts';
import { type Command, commandOf, OUTPUT } from '../../command.ts';
import { cellText, formatted, objectText, OUTPUT_HELP, tableOf } from '../../text-table.ts';
import type { NodeRequest } from './node-requests.ts';

/** `words` are those of the command after `node`. */
export function requestCommand(words: string, request: NodeRequest): Command {
  const { about, takes, method, path, body } = request;
  const positionals = ['NODE', ...takes];
  return commandOf({
    usage: `usage: ironic-edge node ${words} ${positionals.join(' ')}${method === 'GET' ? ' [--format FORMAT]' : ''}

NODE (name or UUID): ${about}.

${OUTPUT_HELP}
${ENVIRONMENT_HELP}`,
    options: OUTPUT,
    positionals,
    async run({ values, positionals: [node = '', ...given] }, { environment, stdout }) {
      const url = `${pathOfNode(node)}/${path(given)}`;
      const reply = await createApiClient(environment).request(method, url, body?.(given));
      if (reply.body !== null) stdout.write(formatted(values, reply.body, textOf(request)));
      return 0;
    },
  });
}

const textOf =
  ({ list }: NodeRequest) =>
  (reply: Json): string => {
    const records = isJsonObject(reply) && list !== undefined ? reply[list] : undefined;
    return Array.isArray(records) ? recordsText(records) : objectText(reply);
  };

/** A table of all columns that one of the records has; a line for each text. */
function recordsText(records: readonly Json[]): string {
  const objects = records.filter((each): each is JsonObject => isJsonObject(each));
  if (objects.length < records.length) return records.map((each) => `${cellText(each)}\n`).join('');
  const columns = [...new Set(objects.flatMap((each) => Object.keys(each)))];
  return tableOf(
    columns.filter((name) => name !== 'links'),
    objects,
  );
}

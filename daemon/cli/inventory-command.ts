// `ironic-edge inventory save NODE`: prints or saves the inventory of a node's last successful inspection.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createApiClient, ENVIRONMENT_HELP } from './api-client.ts';
import { type CommandContext, commandOf } from './command.ts';

const USAGE = `usage: ironic-edge inventory save NODE [--file FILE]

Prints the inventory and the plugin data of a node (name or UUID) as the API returns them. "ironic-edge inspect replay"
reads this format.

  --file FILE  write to this file instead, replacing an existing one

${ENVIRONMENT_HELP}`;

/** Returns the exit code: 0, or 2 for wrong arguments. */
export const inventoryCommand = commandOf(USAGE, parseRequest, run);

type Request = NonNullable<ReturnType<typeof parseRequest>>;

async function run(request: Request, { environment, stdout }: CommandContext): Promise<number> {
  const path = `/v1/nodes/${encodeURIComponent(request.node)}/inventory`;
  const { body } = await createApiClient(environment).request('GET', path);
  const text = `${JSON.stringify(body, null, 2)}\n`;
  if (request.file === undefined) stdout.write(text);
  else writeFileSync(request.file, text);
  return 0;
}

function parseRequest(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { file: { type: 'string' } },
    allowPositionals: true,
  });
  const [action, node, ...more] = positionals;
  return action === 'save' && node !== undefined && more.length === 0
    ? { node, file: values.file }
    : undefined;
}

// `ironic-edge node unknown`: lists machines that the daemon saw on the network and that no node has.
import { parseArgs } from 'node:util';
import { isJsonObject } from '../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP } from './api-client.ts';
import { type CommandContext, commandOf } from './command.ts';
import { cellText, textTable } from './text-table.ts';

const USAGE = `usage: ironic-edge node unknown [--json]

Lists the machines that asked the daemon for an address or a file and that no node has, the one seen last first.
"ironic-edge node timeline MACHINE" tells what was seen of one.

  --json  print the machines as the API returns them

${ENVIRONMENT_HELP}`;

const COLUMNS = ['machine', 'last_seen', 'events', 'last_event'] as const;

/** Returns the exit code: 0, or 2 for wrong arguments. */
export const unknownMachinesCommand = commandOf(USAGE, parseRequest, run);

async function run({ json }: { readonly json: boolean }, { environment, stdout }: CommandContext) {
  const { body } = await createApiClient(environment).request('GET', '/v1/unknown_machines');
  const listed = isJsonObject(body) ? body['unknown_machines'] : undefined;
  const machines = Array.isArray(listed) ? listed.filter(isJsonObject) : [];
  stdout.write(
    json
      ? `${JSON.stringify(machines, null, 2)}\n`
      : textTable(
          COLUMNS,
          machines.map((machine) => COLUMNS.map((column) => cellText(machine[column]))),
        ),
  );
  return 0;
}

function parseRequest(args: readonly string[]) {
  const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean', default: false } } });
  return values;
}

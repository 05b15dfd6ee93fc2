// `ironic-edge node unknown`: lists machines that the daemon saw on the network and that are not nodes.
import { createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import { commandOf, FLAG } from '../command.ts';
import { jsonOrText, tableOf } from '../text-table.ts';

const USAGE = `usage: ironic-edge node unknown [--json]

Lists the machines that asked the daemon for an address or a file and are not nodes, the most recently seen first.
"ironic-edge node timeline MACHINE" prints what was seen of one.

  --json  print the machines as the API returns them

${ENVIRONMENT_HELP}`;

const COLUMNS = ['machine', 'last_seen', 'events', 'last_event'] as const;

export const unknownMachinesCommand = commandOf({
  usage: USAGE,
  options: { json: FLAG },
  positionals: [],
  async run({ values }, { environment, stdout }) {
    const machines = await createApiClient(environment).list('/v1/unknown_machines', 'unknown_machines');
    stdout.write(jsonOrText(values.json, machines, (listed) => tableOf(COLUMNS, listed)));
    return 0;
  },
});

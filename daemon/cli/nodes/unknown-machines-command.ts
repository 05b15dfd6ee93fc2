// `ironic-edge node unknown`: lists machines that the daemon saw on the network and that are not nodes.
import { createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import { commandOf } from '../command.ts';
import { printed, RECORD_OUTPUT, RECORD_OUTPUT_HELP } from '../records/print-records.ts';

const USAGE = `usage: ironic-edge node unknown [--format FORMAT]

Lists machines that are not nodes: those that asked the daemon for an address or a file, and those whose ramdisk called
the daemon. The most recently seen machine comes first.
The column "ignored" is true for machines that somebody chose to ignore on the page for browsers (/ui/).
"ironic-edge node timeline MACHINE" prints what was seen of a machine.

${RECORD_OUTPUT_HELP}
${ENVIRONMENT_HELP}`;

const COLUMNS = ['machine', 'last_seen', 'events', 'last_event', 'ignored'] as const;

export const unknownMachinesCommand = commandOf({
  usage: USAGE,
  options: RECORD_OUTPUT,
  positionals: [],
  async run({ values }, { environment, stdout }) {
    const machines = await createApiClient(environment).list('/v1/unknown_machines', 'unknown_machines');
    stdout.write(printed(values, machines, { layout: 'list', columns: COLUMNS, records: machines }));
    return 0;
  },
});

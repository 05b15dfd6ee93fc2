// `ironic-edge create FILE...`: creates all records that files describe.
import { createApiClient, ENVIRONMENT_HELP } from '../../api-client.ts';
import { commandOf, OUTPUT } from '../../command.ts';
import { exitCodeOfAll } from '../../exit-codes.ts';
import { formatted, OUTPUT_HELP, tableOf } from '../../text-table.ts';
import { type Creation, createRecord } from './create-records.ts';
import { describedRecords } from './described-records.ts';

const USAGE = `usage: ironic-edge create FILE... [--format FORMAT]

Creates the chassis, nodes, port groups and ports that the files describe, in the format of "baremetal create": YAML or JSON;
- is standard input. If the daemon refuses a record, the records below it are left out, and the others are created. Nothing is
created if a file cannot be read.

  nodes:
    - name: rack1-01
      driver: ipmi
      driver_info: {ipmi_address: 10.0.0.11, ipmi_username: admin, ipmi_password: ...}
      traits: [CUSTOM_FAST]
      ports:
        - address: "52:54:00:12:34:56"
      portgroups:
        - name: bond-1
          ports:
            - address: "52:54:00:12:34:57"

A file may also have a list "chassis", beside "nodes" or alone; each chassis may have a list "nodes" of its own. A list "runbooks"
describes runbooks by the fields of the API.

${OUTPUT_HELP}
${ENVIRONMENT_HELP}`;

const COLUMNS = ['record', 'name', 'uuid', 'outcome', 'note'];

export const createCommand = commandOf({
  usage: USAGE,
  options: OUTPUT,
  positionals: [],
  rest: 'FILE',
  async run({ values, rest: files }, { environment, stdout }) {
    const described = files.flatMap(describedRecords);
    const api = createApiClient(environment);
    const creations: Creation[] = [];
    try {
      for (const record of described)
        await createRecord(api, record, {}, (creation) => creations.push(creation));
    } finally {
      // printed also when the daemon stops answering, so that the user does not create these records again
      const results = creations.map(({ result }) => result);
      stdout.write(formatted(values, results, () => tableOf(COLUMNS, results)));
    }
    return exitCodeOfAll(creations.map(({ code }) => code));
  },
});

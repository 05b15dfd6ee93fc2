// `ironic-edge shard list`: lists shards, the groups of nodes that other services divide among themselves.
import { createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import { commandOf, groupOf } from '../command.ts';
import { printed, RECORD_OUTPUT, RECORD_OUTPUT_HELP } from './print-records.ts';

const USAGE = `usage: ironic-edge shard list [--format FORMAT]

Lists the shards of nodes, and how many nodes each has. The nodes without a shard are counted under the name None.
"ironic-edge node set NODE shard=NAME" puts a node into a shard.

${RECORD_OUTPUT_HELP}
${ENVIRONMENT_HELP}`;

const list = commandOf({
  usage: USAGE,
  options: RECORD_OUTPUT,
  positionals: [],
  async run({ values }, { environment, stdout }) {
    const shards = await createApiClient(environment).list('/v1/shards', 'shards');
    stdout.write(printed(values, shards, { layout: 'list', columns: ['name', 'count'], records: shards }));
    return 0;
  },
});

export const shardCommand = groupOf(USAGE, { list });

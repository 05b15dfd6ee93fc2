// `ironic-edge shard list`: the groups by which other services divide nodes among themselves.
import { createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import { commandOf, groupOf, OUTPUT } from '../command.ts';
import { formatted, OUTPUT_HELP, tableOf } from '../text-table.ts';

const USAGE = `usage: ironic-edge shard list [--format FORMAT]

Lists the shards of nodes, and how many nodes each has. A node without a shard counts as None.
"ironic-edge node set NODE shard=NAME" puts a node into one.

${OUTPUT_HELP}
${ENVIRONMENT_HELP}`;

const list = commandOf({
  usage: USAGE,
  options: OUTPUT,
  positionals: [],
  async run({ values }, { environment, stdout }) {
    const shards = await createApiClient(environment).list('/v1/shards', 'shards');
    stdout.write(formatted(values, shards, () => tableOf(['name', 'count'], shards)));
    return 0;
  },
});

export const shardCommand = groupOf(USAGE, { list });

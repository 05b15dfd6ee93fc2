// `ironic-edge node list`: lists nodes, with filters that Ironic's clients do not offer.
import { createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import { commandOf, FLAG, OUTPUT, TEXT } from '../command.ts';
import { formatted, OUTPUT_HELP, tableOf } from '../text-table.ts';

const USAGE = `usage: ironic-edge node list [--provision-state STATE] [--auto-discovered] [--format FORMAT]

Lists nodes, with their power state and provision state.

  --provision-state STATE  only nodes in this state, such as enroll or "clean wait"
  --auto-discovered        only nodes that inspection discovered
${OUTPUT_HELP}
${ENVIRONMENT_HELP}`;

const COLUMNS = ['uuid', 'name', 'power_state', 'provision_state', 'maintenance'] as const;

export const nodeListCommand = commandOf({
  usage: USAGE,
  options: { 'provision-state': TEXT, 'auto-discovered': FLAG, ...OUTPUT },
  positionals: [],
  async run({ values }, { environment, stdout }) {
    const { 'provision-state': state, 'auto-discovered': isDiscovered } = values;
    const query = new URLSearchParams({
      fields: COLUMNS.join(','),
      ...(state !== undefined && { provision_state: state }),
      ...(isDiscovered && { auto_discovered: 'true' }),
    });
    const nodes = await createApiClient(environment).list(`/v1/nodes?${query.toString()}`, 'nodes');
    stdout.write(formatted(values, nodes, (listed) => tableOf(COLUMNS, listed)));
    return 0;
  },
});

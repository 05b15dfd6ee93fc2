// `ironic-edge node list`: lists nodes, with filters that Ironic's clients do not offer.
import { createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import { commandOf, FLAG, TEXT } from '../command.ts';
import { jsonOrText, tableOf } from '../text-table.ts';

const USAGE = `usage: ironic-edge node list [--provision-state STATE] [--auto-discovered] [--json]

Lists nodes, with their power state and provision state.

  --provision-state STATE  only nodes in this state, such as enroll or "clean wait"
  --auto-discovered        only nodes that inspection discovered
  --json                   print the nodes as the API returns them

${ENVIRONMENT_HELP}`;

const COLUMNS = ['uuid', 'name', 'power_state', 'provision_state', 'maintenance'] as const;

export const nodeListCommand = commandOf({
  usage: USAGE,
  options: { 'provision-state': TEXT, 'auto-discovered': FLAG, json: FLAG },
  positionals: [],
  async run({ values }, { environment, stdout }) {
    const { 'provision-state': state, 'auto-discovered': isDiscovered, json } = values;
    const query = new URLSearchParams({
      fields: COLUMNS.join(','),
      ...(state !== undefined && { provision_state: state }),
      ...(isDiscovered && { auto_discovered: 'true' }),
    });
    const nodes = await createApiClient(environment).list(`/v1/nodes?${query.toString()}`, 'nodes');
    stdout.write(jsonOrText(json, nodes, (listed) => tableOf(COLUMNS, listed)));
    return 0;
  },
});

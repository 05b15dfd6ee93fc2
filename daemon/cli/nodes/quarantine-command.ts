// `ironic-edge quarantine`: the nodes that nobody has confirmed since a restore, and their release.
import { createApiClient, ENVIRONMENT_HELP, pathOfNode } from '../api-client.ts';
import { commandOf, FLAG, groupOf, TEXT } from '../command.ts';
import { cellText, jsonOrText, tableOf } from '../text-table.ts';

const USAGE = `usage: ironic-edge quarantine list [--json]
       ironic-edge quarantine release NODE [--serial SERIAL | --unchecked]

After a restore, or when the daemon starts with a database that was copied to another path or host, it does nothing with a
machine until you confirm which machine it is: it may have been taken into use, replaced or erased since. A node that was
handed over to another service is listed too; release it only when that service no longer manages the machine.

  release NODE           confirms the machine by the network cards that its BMC reports
  --serial SERIAL        confirms it by the serial number that you have read on the machine
  --unchecked            releases it without any check

${ENVIRONMENT_HELP}`;

const COLUMNS = ['node_uuid', 'name', 'provision_state', 'since', 'reason'];

const list = commandOf({
  usage: USAGE,
  options: { json: FLAG },
  positionals: [],
  async run({ values: { json } }, { environment, stdout }) {
    const nodes = await createApiClient(environment).list('/v1/quarantine', 'quarantine');
    stdout.write(jsonOrText(json, [...nodes], () => tableOf(COLUMNS, nodes)));
    return 0;
  },
});

const release = commandOf({
  usage: USAGE,
  options: { serial: TEXT, unchecked: FLAG },
  positionals: ['NODE'],
  async run({ values: { serial = null, unchecked }, positionals: [node] }, { environment, stdout }) {
    const path = `${pathOfNode(node)}/quarantine/release`;
    const { evidence } = await createApiClient(environment).post(path, { serial, unchecked });
    stdout.write(`${node} is released: ${cellText(evidence)}\n`);
    return 0;
  },
});

export const quarantineCommand = groupOf(USAGE, { list, release });

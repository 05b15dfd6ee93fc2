// `ironic-edge quarantine`: lists and releases nodes in quarantine: nodes not confirmed since a restore, and nodes that were
// handed over.
import type { JsonObject } from '../../model/json.ts';
import type { ProvisionState } from '../../model/states/provision-states.ts';
import { type ApiClient, ApiRefusal, createApiClient, ENVIRONMENT_HELP, pathOfNode } from '../api-client.ts';
import { commandOf, FLAG, groupOf, OUTPUT, TEXT } from '../command.ts';
import { cellText, formatted, OUTPUT_HELP, tableOf } from '../text-table.ts';
import { type AskedNode, askNodes } from './ask-nodes.ts';

/**
 * The states in which `release-matching` releases a node whose network cards match. In other states, somebody has to look at the
 * machine first.
 */
const MATCHED: readonly ProvisionState[] = ['enroll', 'manageable', 'active', 'rescue'];

const USAGE = `usage: ironic-edge quarantine list [--format FORMAT]
       ironic-edge quarantine release NODE [--serial SERIAL | --unchecked]
       ironic-edge quarantine release-matching

After a restore, or after a start with a database that was copied to another path or host, the daemon does nothing with a
machine until you confirm which machine it is: the machine may have been taken into use, replaced or erased since. A node that
was handed over to another service is listed too; release it only when that service no longer manages the machine.

  release NODE           confirms the machine by the network cards that its BMC reports
  --serial SERIAL        confirms it by the serial number that you have read on the machine
  --unchecked            releases it without any check
  release-matching       confirms all nodes in the states ${MATCHED.join(', ')} by their network cards, and prints
                         why the remaining nodes stay in quarantine. An available machine may be in use by now:
                         release it by name. Leaves out nodes that were handed over. The exit code is 1 when a node stays
${OUTPUT_HELP}
${ENVIRONMENT_HELP}`;

const COLUMNS = ['node_uuid', 'name', 'provision_state', 'since', 'reason'];

const list = commandOf({
  usage: USAGE,
  options: OUTPUT,
  positionals: [],
  async run({ values }, { environment, stdout }) {
    const nodes = await createApiClient(environment).list('/v1/quarantine', 'quarantine');
    stdout.write(formatted(values, [...nodes], () => tableOf(COLUMNS, nodes)));
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

const releaseMatching = commandOf({
  usage: USAGE,
  options: {},
  positionals: [],
  async run(_given, { environment, stdout }) {
    const client = createApiClient(environment);
    const nodes = (await client.list('/v1/quarantine', 'quarantine')).filter(
      (node) => node['handed_to'] === null,
    );
    const released = await askNodes(nodes, stdout, (node) => releaseIfMatching(client, node));
    stdout.write(`${released} of ${nodes.length} nodes are released\n`);
    return released === nodes.length ? 0 : 1;
  },
});

async function releaseIfMatching(client: ApiClient, node: JsonObject): Promise<AskedNode> {
  const { node_uuid: uuid, name, provision_state: state } = node;
  const says = (text: string) => `${cellText(name ?? uuid)} ${text}`;
  if (!MATCHED.some((each) => each === state))
    return {
      isDone: false,
      says: says(`stays: it is in state ${cellText(state)}; look at the machine first`),
    };
  try {
    const path = `${pathOfNode(cellText(uuid))}/quarantine/release`;
    const { evidence } = await client.post(path, { serial: null, unchecked: false });
    return { isDone: true, says: says(`is released: ${cellText(evidence)}`) };
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    return { isDone: false, says: says(`stays: ${error.message}`) };
  }
}

export const quarantineCommand = groupOf(USAGE, { list, release, 'release-matching': releaseMatching });

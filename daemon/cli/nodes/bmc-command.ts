// `ironic-edge bmc`: gives BMCs passwords of their own, and shows the login of one.
import type { JsonObject } from '../../model/json.ts';
import { type ApiClient, ApiRefusal, createApiClient, ENVIRONMENT_HELP, pathOfNode } from '../api-client.ts';
import { commandOf, FLAG, groupOf, OUTPUT, TEXT, WrongArguments } from '../command.ts';
import { cellText, formatted, OUTPUT_HELP, tableOf } from '../text-table.ts';
import { type AskedNode, askNodes } from './ask-nodes.ts';

const COLUMNS = ['username', 'password', 'pending', 'pending_username'];

const USAGE = `usage: ironic-edge bmc rotate NODE... | --all [--username NAME]
       ironic-edge bmc show-login NODE [--format FORMAT]

  rotate NODE...         gives the BMC of each node a new random password, and stores it in driver_info when the BMC has
                         accepted a login with it. After a crash in between, the daemon finds out at its start which of
                         the two passwords the BMC takes. The exit code is 1 when a BMC keeps its password
  rotate --all           the same for all nodes
  --username NAME        makes a user NAME at each BMC, an administrator, and logs in as that user from then on; the user as
                         whom the daemon logged in keeps its password. A user NAME that the BMC has gets a new password
  show-login NODE        shows the user and the password, which everything else masks. Only for admins; each use is in the
                         audit file. PENDING is a password that the BMC was being given and may have taken
${OUTPUT_HELP}
${ENVIRONMENT_HELP}`;

const pathOf = (node: string) => `${pathOfNode(node)}/bmc_password`;

const rotate = commandOf({
  usage: USAGE,
  options: { all: FLAG, username: TEXT },
  positionals: [],
  rest: 'NODE',
  isRestOptional: true,
  async run({ values, rest }, { environment, stdout }) {
    if (values.all === rest.length > 0) throw new WrongArguments('name nodes, or give --all');
    const client = createApiClient(environment);
    const nodes = values.all ? await allNodes(client) : rest;
    const done = await askNodes(nodes, stdout, (node) => rotateOne(client, node, values.username));
    return done === nodes.length ? 0 : 1;
  },
});

const allNodes = async (client: ApiClient): Promise<readonly string[]> =>
  (await client.list('/v1/nodes?fields=uuid,name', 'nodes')).map(({ uuid, name }) => cellText(name ?? uuid));

async function rotateOne(client: ApiClient, node: string, username: string | undefined): Promise<AskedNode> {
  try {
    await client.request('PUT', pathOf(node), username === undefined ? {} : { username });
    const user = username === undefined ? '' : ` for ${username}`;
    return { isDone: true, says: `${node} has a new password${user}` };
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    return { isDone: false, says: `${node}: ${error.message}` };
  }
}

const showLogin = commandOf({
  usage: USAGE,
  options: OUTPUT,
  positionals: ['NODE'],
  async run({ values, positionals: [node] }, { environment, stdout }) {
    const { body } = await createApiClient(environment).request('GET', pathOf(node));
    stdout.write(formatted(values, body, () => tableOf(COLUMNS, [body as JsonObject])));
    return 0;
  },
});

export const bmcCommand = groupOf(USAGE, { rotate, 'show-login': showLogin });

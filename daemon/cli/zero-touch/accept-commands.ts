// `ironic-edge discover accept` and `continue`: what an operator decides about machines whose BMCs were found.
import type { JsonObject } from '../../model/json.ts';
import { type ApiClient, ApiRefusal, createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import { commandOf, FLAG, TEXT, WrongArguments } from '../command.ts';
import { readGivenFile } from '../given-file.ts';
import { type AskedNode, askNodes } from '../nodes/ask-nodes.ts';
import { cellText } from '../text-table.ts';

const PATH = '/v1/found_bmcs';

export const acceptCommand = commandOf({
  usage: `usage: ironic-edge discover accept BMC... [--username USER --password-file FILE] [--resource-class CLASS]
                                   [--driver DRIVER]
       ironic-edge discover accept --all [--product TEXT] ...

Takes in machines that nobody expected: each becomes a node, its BMC gets a password of its own, and the machine is inspected and
cleaned, as its hardware class says. BMC: the UUID, IP address or MAC address of "ironic-edge discover list".

  --all                   all BMCs that belong to no node and that wait to be accepted
  --product TEXT          of these, those whose vendor and product contain TEXT
  --username USER         the user that these BMCs have from the factory
  --password-file FILE    a file with its password; - is the standard input. Each BMC is asked once with it, and not again within
                          an hour if it refuses
  --resource-class CLASS  the resource class of the nodes, which names their hardware class
  --driver DRIVER         the hardware type of the nodes; the default is what the BMC speaks: redfish or ipmi
${ENVIRONMENT_HELP}`,
  options: {
    all: FLAG,
    product: TEXT,
    username: TEXT,
    'password-file': TEXT,
    'resource-class': TEXT,
    driver: TEXT,
  },
  positionals: [],
  rest: 'BMC',
  isRestOptional: true,
  async run({ values, rest }, { environment, stdout }) {
    const { username, 'password-file': file, 'resource-class': resource_class, driver } = values;
    if ((username === undefined) !== (file === undefined))
      throw new WrongArguments('give both --username and --password-file, or none of them');
    const login = file !== undefined && {
      bmc_username: username,
      bmc_password: readGivenFile('--password-file', file)
        .toString()
        .replace(/\r?\n$/, ''),
    };
    const body = { ...login, ...(resource_class && { resource_class }), ...(driver && { driver }) };
    const api = createApiClient(environment);
    const chosen = await chosenBmcs(
      api,
      values,
      rest,
      ({ expected_uuid, node_uuid, stage }) =>
        stage === 'seen' && expected_uuid === null && node_uuid === null,
    );
    const done = await askNodes(chosen, stdout, (bmc) => decide(api, bmc, { action: 'accept', body }));
    return done === chosen.length ? 0 : 1;
  },
});

export const continueCommand = commandOf({
  usage: `usage: ironic-edge discover continue BMC...
       ironic-edge discover continue --all [--product TEXT]

Lets new machines go on that have stopped: what has failed is tried again, and what waits for an operator goes on. That erases the
disks of a machine that has stopped because of the data on them.

  --all            all that have stopped
  --product TEXT   of these, those whose vendor and product contain TEXT
${ENVIRONMENT_HELP}`,
  options: { all: FLAG, product: TEXT },
  positionals: [],
  rest: 'BMC',
  isRestOptional: true,
  async run({ values, rest }, { environment, stdout }) {
    const api = createApiClient(environment);
    const chosen = await chosenBmcs(
      api,
      values,
      rest,
      ({ reason, expected_uuid: expected }) => reason !== null && expected !== null,
    );
    const done = await askNodes(chosen, stdout, (bmc) => decide(api, bmc, { action: 'continue', body: {} }));
    return done === chosen.length ? 0 : 1;
  },
});

/** Returns the named BMCs, or all that `fits` selects and that are of the product. */
async function chosenBmcs(
  api: ApiClient,
  { all, product }: { readonly all?: boolean; readonly product?: string | undefined },
  named: readonly string[],
  fits: (bmc: JsonObject) => boolean,
): Promise<readonly string[]> {
  if ((all === true) === named.length > 0) throw new WrongArguments('name BMCs, or give --all');
  if (all !== true && product !== undefined) throw new WrongArguments('--product goes with --all');
  if (all !== true) return named;
  const wanted = (product ?? '').toLowerCase();
  const found = await api.list(`${PATH}?detail=true`, 'found_bmcs');
  return found
    .filter(fits)
    .filter((bmc) => `${cellText(bmc['vendor'])} ${cellText(bmc['product'])}`.toLowerCase().includes(wanted))
    .map(({ uuid }) => cellText(uuid));
}

async function decide(
  api: ApiClient,
  bmc: string,
  { action, body }: { readonly action: 'accept' | 'continue'; readonly body: JsonObject },
): Promise<AskedNode> {
  try {
    await api.request('POST', `${PATH}/${encodeURIComponent(bmc)}/${action}`, body);
    return { isDone: true, says: `${bmc} goes on: "ironic-edge discover list" shows how far` };
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    return { isDone: false, says: `${bmc}: ${error.message}` };
  }
}

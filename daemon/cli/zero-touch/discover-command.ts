// `ironic-edge discover`: the BMCs that the daemon found on the network. `scan` looks for more, `forget` removes records.
import { setTimeout } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { type ApiClient, createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import { commandOf, OUTPUT } from '../command.ts';
import { recordCommand } from '../records/record-commands.ts';
import { cellText, formatted, OUTPUT_HELP } from '../text-table.ts';
import { acceptCommand, continueCommand } from './accept-commands.ts';

const PATH = '/v1/found_bmcs';
const POLL_MILLISECONDS = 500;

const scan = commandOf({
  usage: `usage: ironic-edge discover scan [NETWORK...] [--format FORMAT]

Has the daemon ask each address of the networks once whether a BMC answers there, and waits for the end: 254 addresses take about
six seconds. Needs no login of a BMC, and sends none. NETWORK, as 10.0.9.0/24 or an address, must be inside [zero_touch]
bmc_networks; without NETWORK, all of these networks are scanned. If you interrupt this command, the scan goes on.

${OUTPUT_HELP}
${ENVIRONMENT_HELP}`,
  options: OUTPUT,
  positionals: [],
  rest: 'NETWORK',
  isRestOptional: true,
  async run({ values, rest }, { environment, stdout }) {
    const api = createApiClient(environment);
    const ended = await endOf(api, await api.post(`${PATH}/scan`, { networks: rest }));
    stdout.write(formatted(values, ended, outcomeText));
    return 0;
  },
});

/** A scan that another one has followed has ended too. */
async function endOf(api: ApiClient, begun: JsonObject): Promise<JsonObject> {
  for (let latest = begun; ;) {
    if (latest['ended_at'] !== null || latest['started_at'] !== begun['started_at']) return latest;
    await setTimeout(POLL_MILLISECONDS);
    const { body } = await api.request('GET', `${PATH}/scan`);
    const told = isJsonObject(body) ? body['scan'] : undefined;
    if (!isJsonObject(told)) throw new Error('the daemon has been restarted: start the scan again');
    latest = told;
  }
}

const outcomeText = ({ asked, addresses, answered }: JsonObject): string =>
  `${cellText(asked)} of ${cellText(addresses)} addresses asked, BMCs answered at ${cellText(answered)}: "ironic-edge discover list" shows them\n`;

const forget = commandOf({
  usage: `usage: ironic-edge discover forget BMC...

Removes the records of BMCs, in the given order. A BMC that answers the next scan is found again. Nothing is done with the BMC.

${ENVIRONMENT_HELP}`,
  options: {},
  positionals: [],
  rest: 'BMC',
  async run({ rest }, { environment }) {
    const api = createApiClient(environment);
    for (const bmc of rest) await api.request('DELETE', `${PATH}/${encodeURIComponent(bmc)}`);
    return 0;
  },
});

export const discoverCommand = recordCommand('discover', {
  scan: { about: 'look for BMCs in networks', load: async () => scan },
  accept: { about: 'take in machines that nobody expected', load: async () => acceptCommand },
  continue: { about: 'let machines go on that have stopped', load: async () => continueCommand },
  forget: { about: 'remove the records of BMCs', load: async () => forget },
});

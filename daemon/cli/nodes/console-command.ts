// `ironic-edge node console`: prints what a machine showed on its serial console.
import { isJsonObject } from '../../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP, pathOfNode } from '../api-client.ts';
import { commandOf } from '../command.ts';

const USAGE = `usage: ironic-edge node console NODE

Prints what the machine last showed on its serial console, without terminal escape sequences. The console must have been
enabled: "baremetal node console enable NODE". To type, connect to the address that "baremetal node console show NODE" names.

${ENVIRONMENT_HELP}`;

export const consoleCommand = commandOf({
  usage: USAGE,
  options: {},
  positionals: ['NODE'],
  async run({ positionals: [node] }, { environment, stdout, stderr }) {
    const path = `${pathOfNode(node)}/states/console/log`;
    const { body } = await createApiClient(environment).request('GET', path);
    const log = isJsonObject(body) && typeof body['log'] === 'string' ? body['log'] : '';
    if (log === '') stderr.write(`Nothing was shown on the console of ${node} while it was enabled.\n`);
    else stdout.write(log);
    return 0;
  },
});

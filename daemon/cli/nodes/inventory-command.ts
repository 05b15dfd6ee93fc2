// `ironic-edge inventory save NODE`: prints or saves the inventory of a node's last successful inspection.
import { writeFileSync } from 'node:fs';
import { reasonOf } from '../../model/faults.ts';
import { createApiClient, ENVIRONMENT_HELP, pathOfNode } from '../api-client.ts';
import { commandOf, groupOf, TEXT } from '../command.ts';

const USAGE = `usage: ironic-edge inventory save NODE [--file FILE]

Prints the inventory and the plugin data of a node (name or UUID) as the API returns them. "ironic-edge inspect replay"
reads this format.

  --file FILE  write to this file instead, replacing an existing one

${ENVIRONMENT_HELP}`;

const save = commandOf({
  usage: USAGE,
  options: { file: TEXT },
  positionals: ['NODE'],
  async run({ values: { file }, positionals: [node] }, { environment, stdout }) {
    const { body } = await createApiClient(environment).request('GET', `${pathOfNode(node)}/inventory`);
    const text = `${JSON.stringify(body, null, 2)}\n`;
    if (file === undefined) stdout.write(text);
    else write(file, text);
    return 0;
  },
});

export const inventoryCommand = groupOf(USAGE, { save });

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Error(
      `--file ${file} cannot be written: ${reasonOf(error)}. Name a file in an existing directory that you may write to.`,
      { cause: error },
    );
  }
}

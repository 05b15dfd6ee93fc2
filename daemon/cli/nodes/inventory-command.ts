// `ironic-edge inventory save NODE`: prints or saves the inventory of a node's last successful inspection. `ironic-edge node drift
// NODE`: what had changed in the machine.
import { writeFileSync } from 'node:fs';
import { reasonOf } from '../../model/faults.ts';
import { createApiClient, ENVIRONMENT_HELP, pathOfNode } from '../api-client.ts';
import { visibleLine } from '../../lib/plain-text.ts';
import type { JsonObject } from '../../model/json.ts';
import { commandOf, groupOf, OUTPUT, TEXT } from '../command.ts';
import { cellText, formatted, OUTPUT_HELP } from '../text-table.ts';

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

export const driftCommand = commandOf({
  usage: `usage: ironic-edge node drift NODE [--format FORMAT]

Prints what the last inspection of a node found changed in the machine: a line for each disk, DIMM, network card and so on. Says
with which inspection it was compared, and which parts could not be compared.

${OUTPUT_HELP}
${ENVIRONMENT_HELP}`,
  options: OUTPUT,
  positionals: ['NODE'],
  async run({ values, positionals: [node] }, { environment, stdout }) {
    const { body } = await createApiClient(environment).request('GET', `${pathOfNode(node)}/hardware`);
    stdout.write(formatted(values, body as JsonObject, driftText));
    return 0;
  },
});

function driftText(found: JsonObject): string {
  const list = (name: string) => (found[name] as readonly string[]).map(visibleLine);
  const [at, since] = [cellText(found['inspected_at']), found['compared_with']];
  const source = cellText(found['source']);
  if (since === null)
    return `${at}: the first inspection by ${source}: there is nothing to compare it with\n`;
  const without = list('not_compared');
  const lines = [
    `${at}, by ${source}, compared with ${cellText(since)}: ${list('compared').join(', ')}`,
    ...(without.length === 0 ? [] : [`not in both reports: ${without.join(', ')}`]),
    ...(list('changes').length === 0 ? ['nothing has changed'] : list('changes')),
  ];
  return `${lines.join('\n')}\n`;
}

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

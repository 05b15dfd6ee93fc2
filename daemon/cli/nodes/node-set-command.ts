// `ironic-edge node set NODE`: changes fields of a node, and its target RAID configuration.
import { nodeFields } from '../../model/records/node.ts';
import { createApiClient, ENVIRONMENT_HELP, pathOfNode } from '../api-client.ts';
import { commandOf, FLAG, TEXT, WrongArguments } from '../command.ts';
import { givenJson } from '../given-file.ts';
import { ASSIGNMENTS_HELP, offeredFields, settingIn } from '../records/assignments.ts';

const USAGE = `usage: ironic-edge node set NODE [FIELD=VALUE]... [--target-raid-config FILE] [--reset-interfaces]

Changes fields of a node (name or UUID), and then its target RAID configuration.

${ASSIGNMENTS_HELP}
  --target-raid-config FILE  what cleaning or deployment is to make of the disks: a JSON file, - for standard input, or the
                             JSON itself; '{}' removes it
  --reset-interfaces         with driver=DRIVER: interfaces that are not given become those that the driver prefers

${ENVIRONMENT_HELP}`;

export const nodeSetCommand = commandOf({
  usage: USAGE,
  options: { 'target-raid-config': TEXT, 'reset-interfaces': FLAG },
  positionals: ['NODE'],
  rest: 'FIELD=VALUE',
  isRestOptional: true,
  offers: offeredFields(nodeFields, 'update'),
  async run({ values, positionals: [node], rest }, { environment }) {
    const { 'target-raid-config': source, 'reset-interfaces': resets } = values;
    if (rest.length === 0) refuseNothing(source, resets);
    const settings = rest.map(settingIn);
    const raid =
      source === undefined
        ? undefined
        : givenJson('--target-raid-config', source, 'an object with the list logical_disks');
    const api = createApiClient(environment);
    if (settings.length > 0)
      await api.request('PATCH', `${pathOfNode(node)}${resets ? '?reset_interfaces=true' : ''}`, settings);
    // sent last: the node's RAID interface checks the configuration, and the first request may choose another RAID interface
    if (raid !== undefined) await api.request('PUT', `${pathOfNode(node)}/states/raid`, raid);
    return 0;
  },
});

function refuseNothing(source: string | undefined, resets: boolean | undefined): void {
  if (source === undefined) throw new WrongArguments('FIELD=VALUE or --target-raid-config is missing');
  if (resets === true)
    throw new WrongArguments(
      '--reset-interfaces needs driver=DRIVER: it fits the interfaces to a new driver',
    );
}

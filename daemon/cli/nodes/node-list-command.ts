// `ironic-edge node list`: lists nodes: all, or those in a provision state, or those that inspection discovered.
import { ENVIRONMENT_HELP } from '../api-client.ts';
import { commandOf, FLAG, TEXT } from '../command.ts';
import { RECORD_OUTPUT_HELP } from '../records/print-records.ts';
import { LIST_OPTIONS, listHelp, printList } from '../records/record-commands.ts';
import { nodeKind } from './node-kind.ts';

const USAGE = `usage: ironic-edge node list [--provision-state STATE] [--auto-discovered] [--fields FIELD,...]
                             [--filter NAME=VALUE]... [--format FORMAT]

Lists nodes, with their power state, their provision state and what they wait for.

  --provision-state STATE  only nodes in this state, such as enroll or "clean wait"
  --auto-discovered        only nodes that inspection discovered
${listHelp(nodeKind)}${RECORD_OUTPUT_HELP}
${ENVIRONMENT_HELP}`;

export const nodeListCommand = commandOf({
  usage: USAGE,
  options: { 'provision-state': TEXT, 'auto-discovered': FLAG, ...LIST_OPTIONS },
  positionals: [],
  async run({ values }, context) {
    const { 'provision-state': state, 'auto-discovered': isDiscovered } = values;
    const filter = [
      ...(values.filter ?? []),
      ...(state === undefined ? [] : [`provision_state=${state}`]),
      ...(isDiscovered ? ['auto_discovered=true'] : []),
    ];
    await printList(nodeKind, { ...values, filter }, context);
    return 0;
  },
});

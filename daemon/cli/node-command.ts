// `ironic-edge node ...`: the commands about nodes, and about machines that are not nodes yet.
import type { Command } from './command.ts';
import { nodeListCommand } from './node-list-command.ts';
import { timelineCommand } from './timeline-command.ts';
import { unknownMachinesCommand } from './unknown-machines-command.ts';

const USAGE = `usage: ironic-edge node list [options]
       ironic-edge node timeline NODE|MAC [--follow] [--since ID] [--json]
       ironic-edge node unknown [--json]
`;

export const nodeCommand: Command = ([name, ...args], context) => {
  if (name === 'list') return nodeListCommand(args, context);
  if (name === 'timeline') return timelineCommand(args, context);
  if (name === 'unknown') return unknownMachinesCommand(args, context);
  context.stderr.write(USAGE);
  return 2;
};

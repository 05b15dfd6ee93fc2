// `ironic-edge node ...`: the commands about nodes, and about machines that are not nodes yet.
import { groupOf } from '../command.ts';

const USAGE = `usage: ironic-edge node list [--provision-state STATE] [--auto-discovered] [--json]
       ironic-edge node timeline NODE|MACHINE [--follow] [--since ID] [--json]
       ironic-edge node console NODE [--read-only | --take-over | --log]
       ironic-edge node unknown [--json]

  list      list nodes
  console   type on a machine's serial console, or print what it showed
  timeline  print what was seen of a machine's boot
  unknown   list machines that were seen and are not nodes

"ironic-edge node COMMAND --help" describes a command.
`;

export const nodeCommand = groupOf(USAGE, {
  list: async () => (await import('./node-list-command.ts')).nodeListCommand,
  console: async () => (await import('./console-command.ts')).consoleCommand,
  timeline: async () => (await import('./timeline-command.ts')).timelineCommand,
  unknown: async () => (await import('./unknown-machines-command.ts')).unknownMachinesCommand,
});

// `ironic-edge node ...`: the commands about nodes, and about machines that are not nodes yet.
import { groupOf, groupUsage } from '../command.ts';
import { writingCommands } from '../records/record-commands.ts';
import { actAbouts, actCommands } from './act/act-commands.ts';
import { nodeKind } from './node-kind.ts';

const USAGE = groupUsage('node', {
  list: 'list nodes',
  show: 'show every field of a node',
  create: 'enrol a machine; --provide inspects and cleans it too',
  set: 'change fields of a node, and its RAID configuration',
  unset: 'remove the values of fields of a node',
  delete: 'delete nodes',
  console: "type on a machine's serial console, or print what it showed",
  timeline: "print what was seen of a machine's boot",
  drift: 'print what the last inspection found changed in the machine',
  unknown: 'list machines that were seen and are not nodes',
  ...actAbouts,
});

export const nodeCommand = groupOf(USAGE, {
  list: async () => (await import('./node-list-command.ts')).nodeListCommand,
  ...writingCommands(nodeKind),
  create: async () => (await import('./act/node-create-command.ts')).nodeCreateCommand,
  set: async () => (await import('./node-set-command.ts')).nodeSetCommand,
  console: async () => (await import('./console/console-command.ts')).consoleCommand,
  timeline: async () => (await import('./timeline-command.ts')).timelineCommand,
  drift: async () => (await import('./inventory-command.ts')).driftCommand,
  unknown: async () => (await import('./unknown-machines-command.ts')).unknownMachinesCommand,
  ...actCommands,
});

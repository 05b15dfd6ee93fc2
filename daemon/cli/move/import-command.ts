// `ironic-edge import ...`: brings machines in that another service manages.
import { groupOf } from '../command.ts';

const USAGE = `usage: ironic-edge import bifrost FILE [--dry-run] [--json]

  bifrost  enrol the machines of a Bifrost inventory

"ironic-edge import COMMAND --help" describes a command.
`;

export const importCommand = groupOf(USAGE, {
  bifrost: async () => (await import('./bifrost/import-bifrost.ts')).importBifrostCommand,
});

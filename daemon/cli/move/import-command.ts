// `ironic-edge import ...`: takes over machines that another service manages.
import { groupOf } from '../command.ts';

const USAGE = `usage: ironic-edge import bifrost FILE [--dry-run] [--format FORMAT]
       ironic-edge import ironic --url URL [--database FILE] [--dry-run | --verify | --finish | --back-out]

  bifrost  enrol the machines of a Bifrost inventory
  ironic   take machines over from OpenStack's Ironic

"ironic-edge import COMMAND --help" describes a command.
`;

export const importCommand = groupOf(USAGE, {
  bifrost: async () => (await import('./bifrost/import-bifrost.ts')).importBifrostCommand,
  ironic: async () => (await import('./import-ironic.ts')).importIronicCommand,
});

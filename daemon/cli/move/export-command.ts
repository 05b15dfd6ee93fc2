// `ironic-edge export ironic`: hands machines over to OpenStack's Ironic, also those in use.
import { readConfigWithPlugins } from '../../plugin-host/configured-plugins.ts';
import { createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import { commandOf, groupOf } from '../command.ts';
import { connectIronic, IRONIC_ENVIRONMENT_HELP } from './engine/ironic-service.ts';
import { journalFile, moveOptions, OPTIONS_HELP, runMove, urlIn } from './run-move.ts';
import { ownDatabase } from './sources/own-database.ts';

const USAGE = `usage: ironic-edge export ironic --url URL [--node NODE]... [--dry-run] [--verify | --finish | --back-out] [--format FORMAT]

Hands machines over to OpenStack's Ironic. Machines in use stay in use: no machine is switched on or off or booted, and no
disk is written. Run the command on the daemon's host as the daemon's user, while the daemon runs.

Without --finish, the daemon stops acting on each machine, and Ironic gets it in maintenance: look at it there, and undo the
move with --back-out if necessary. With --finish, Ironic acts on it. To continue a run that was interrupted, repeat the command.

${OPTIONS_HELP}
${ENVIRONMENT_HELP}${IRONIC_ENVIRONMENT_HELP}`;

const ironic = commandOf({
  usage: USAGE,
  options: moveOptions,
  positionals: [],
  async run({ values }, context) {
    const { environment } = context;
    const url = urlIn(values.url);
    const { config } = readConfigWithPlugins({ configFile: values['config-file'], environment });
    const receiver = await connectIronic(url, environment);
    const source = await ownDatabase({
      api: createApiClient(environment),
      path: config.database.path,
      to: receiver.name,
    });
    const journal = values.journal ?? journalFile(config.DEFAULT.state_path, 'export', url);
    return runMove({ source, receiver, journal }, values, context);
  },
});

const GROUP_USAGE = `usage: ironic-edge export ironic --url URL [--dry-run | --verify | --finish | --back-out]

  ironic  hand machines over to OpenStack's Ironic

"ironic-edge export COMMAND --help" describes a command.
`;

export const exportCommand = groupOf(GROUP_USAGE, { ironic });

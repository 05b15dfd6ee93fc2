// `ironic-edge import ironic`: takes machines over from OpenStack's Ironic, also those in use.
import { writeFileSync } from 'node:fs';
import { MAXIMUM_MINOR } from '../../model/microversions.ts';
import { readConfigWithPlugins } from '../../plugin-host/configured-plugins.ts';
import { createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import { commandOf, TEXT, WrongArguments } from '../command.ts';
import { readGivenFile } from '../given-file.ts';
import { nodeFrom } from './engine/machine.ts';
import { connectIronic, IRONIC_ENVIRONMENT_HELP } from './engine/ironic-service.ts';
import { journalFile, moveOptions, OPTIONS_HELP, runMove, urlIn } from './run-move.ts';
import { readSecrets } from './sources/ironic-database.ts';
import { credentialsTemplate, ironicSource, readCredentials, type Secrets } from './sources/ironic-source.ts';

const USAGE = `usage: ironic-edge import ironic --url URL [--database FILE | --credentials FILE | --credentials-template FILE] [--node NODE]... [--dry-run] [--verify | --finish | --back-out] [--format FORMAT]

Takes machines over from OpenStack's Ironic. Machines in use stay in use: no machine is switched on or off or booted, and no
disk is written.

Without --finish, each machine is in maintenance here and at Ironic: look at it, and undo the move with --back-out if
necessary. With --finish, the daemon acts on it. To continue a run that was interrupted, repeat the command.

${OPTIONS_HELP}  --database FILE    where to read the passwords of BMCs, which Ironic's API masks: Ironic's SQLite database, or its ironic.conf,
                     whose [database] connection leads to SQLite, MariaDB or MySQL
  --credentials FILE a file with these passwords: a first line such as "node,ipmi_username,ipmi_password"
                     with fields of driver_info, and one line for each node (name or UUID)
  --credentials-template FILE  only write such a file, for you to fill in: a line for each node of Ironic, and a column for each
                     field of driver_info that its API masks

${ENVIRONMENT_HELP}${IRONIC_ENVIRONMENT_HELP}`;

export const importIronicCommand = commandOf({
  usage: USAGE,
  options: { ...moveOptions, database: TEXT, credentials: TEXT, 'credentials-template': TEXT },
  positionals: [],
  async run({ values }, context) {
    const { environment } = context;
    const url = urlIn(values.url);
    const { config } = readConfigWithPlugins({ configFile: values['config-file'], environment });
    const ironic = await connectIronic(url, environment);
    const { 'credentials-template': template } = values;
    if (template !== undefined) {
      const nodes = (await ironic.api.list('/v1/nodes/detail', 'nodes')).map(nodeFrom);
      writeFileSync(template, credentialsTemplate(nodes), { mode: 0o600, flag: 'wx' });
      return 0;
    }
    const receiver = { api: createApiClient(environment), minor: MAXIMUM_MINOR, name: 'ironic-edge' };
    const source = ironicSource(ironic, await secretsOf(values), receiver.name);
    const journal = values.journal ?? journalFile(config.DEFAULT.state_path, 'import', url);
    return runMove({ source, receiver, journal }, values, context);
  },
});

interface SecretFiles {
  readonly database?: string;
  readonly credentials?: string;
}

async function secretsOf({ database, credentials }: SecretFiles): Promise<Secrets> {
  if (database !== undefined && credentials !== undefined)
    throw new WrongArguments('--database and --credentials both name passwords: give one of them');
  if (database !== undefined) return readSecrets(database);
  if (credentials === undefined) return new Map();
  return readCredentials(credentials, readGivenFile('--credentials', credentials).toString());
}

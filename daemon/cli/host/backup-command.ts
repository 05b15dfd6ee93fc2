// `ironic-edge backup` and `ironic-edge restore`: copy the database, rehearse an upgrade on a copy, and put a copy back in place.
import path from 'node:path';
import { readConfigWithPlugins } from '../../plugin-host/configured-plugins.ts';
import { commandOf, groupOf, TEXT, WrongArguments } from '../command.ts';

const USAGE = `usage: ironic-edge backup create [--to DIRECTORY] [--keep N] [--config-file FILE]
       ironic-edge backup rehearse [--file BACKUP] [--config-file FILE]

  create    copy the database, also while the daemon runs; the copy has all changes acknowledged before the command began
  rehearse  try an upgrade: migrate a copy of the database, or of BACKUP, with this program, and check the copy

  --to DIRECTORY     where backups are kept (default: backups in [DEFAULT] state_path)
  --keep N           how many backups to keep there; older ones are deleted (default 14)
  --file BACKUP      the backup to rehearse with
  --config-file FILE as for serve

A backup is one file, an SQLite database with all passwords: only its owner can read it.
`;

const RESTORE_USAGE = `usage: ironic-edge restore FILE [--config-file FILE]

Puts a backup in the place of the database; the daemon must be stopped. The previous database stays in the same directory,
under another name.
All nodes are in quarantine afterwards: the daemon does nothing with a machine until you release its node with
"ironic-edge quarantine release".
Run it as the user of the daemon.

  --config-file FILE as for serve
`;

const CONFIG_FILE = { 'config-file': TEXT } as const;
const KEPT = 14;

const create = commandOf({
  usage: USAGE,
  options: { ...CONFIG_FILE, to: TEXT, keep: TEXT },
  positionals: [],
  async run({ values: { to, keep = String(KEPT), 'config-file': configFile } }, { environment, stdout }) {
    if (!/^[1-9]\d{0,4}$/.test(keep)) throw new WrongArguments(`--keep ${keep}: expected 1 to 99999`);
    const { config } = readConfigWithPlugins({ configFile, environment });
    const { backUp } = await import('../../db/copies/back-up.ts');
    const directory = to ?? path.join(config.DEFAULT.state_path, 'backups');
    const given = { keep: Number(keep), time: new Date() };
    const { file, bytes, deleted } = backUp(config.database.path, directory, given);
    stdout.write(`${file} (${bytes} bytes)\n${deleted.map((each) => `deleted ${each}\n`).join('')}`);
    return 0;
  },
});

const rehearse = commandOf({
  usage: USAGE,
  options: { ...CONFIG_FILE, file: TEXT },
  positionals: [],
  async run({ values: { file, 'config-file': configFile } }, { environment, stdout }) {
    const { rehearseWith } = await import('../../db/copies/rehearse-with.ts');
    const source = file ?? readConfigWithPlugins({ configFile, environment }).config.database.path;
    const { from, to, milliseconds, rows } = rehearseWith(source);
    const counts = Object.entries(rows).map(([table, count]) => `  ${table.padEnd(32)} ${count}\n`);
    stdout.write(`${source}: version ${from} to ${to} in ${milliseconds} ms\n${counts.join('')}`);
    return 0;
  },
});

export const backupCommand = groupOf(USAGE, { create, rehearse });

export const restoreCommand = commandOf({
  usage: RESTORE_USAGE,
  options: CONFIG_FILE,
  positionals: ['FILE'],
  async run({ values: { 'config-file': configFile }, positionals: [file] }, { environment, stdout }) {
    const { config } = readConfigWithPlugins({ configFile, environment });
    const { restore } = await import('../../db/copies/restore.ts');
    const { nodes, generation, before } = restore(file, config.database.path, new Date());
    stdout.write(
      `${config.database.path} is generation ${generation}; nodes in quarantine: ${nodes}\n` +
        (before === undefined ? '' : `the previous database is kept as ${before}\n`) +
        'start the daemon, then: ironic-edge quarantine list\n',
    );
    return 0;
  },
});

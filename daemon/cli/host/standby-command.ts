// `ironic-edge standby`: makes a standby host, which has copies of the records, take over from a host that has failed.
import { statSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config/sections/core-sections.ts';
import { systemClock } from '../../lib/clock.ts';
import { askPeer, siteKey } from '../../lib/peer-site.ts';
import { readConfigWithPlugins } from '../../plugin-host/configured-plugins.ts';
import { commandOf, FLAG, groupOf, TEXT } from '../command.ts';

const USAGE = `usage: ironic-edge standby promote --old-host-is-off [--from PLACE] [--config-file FILE]

  promote  replace this host's database with the newest copy of the records, as a new generation. All nodes are then in
           quarantine until their machines are confirmed. Stop the daemon first, and run the command as the daemon's user

  --old-host-is-off  you have checked that the other host is off, or that its daemon cannot start: two daemons that act on
                     the same machines destroy data
  --from PLACE       a directory of backups, of which the newest is taken, or one file (default: backups in
                     [DEFAULT] state_path)
  --config-file FILE as for serve

Afterwards start the daemon, and confirm the machines: "ironic-edge quarantine release-matching".
`;

const promote = commandOf({
  usage: USAGE,
  options: { 'config-file': TEXT, from: TEXT, 'old-host-is-off': FLAG },
  positionals: [],
  async run({ values }, { environment, stdout }) {
    const { config } = readConfigWithPlugins({ configFile: values['config-file'], environment });
    if (!values['old-host-is-off'])
      throw new Error(
        'Nothing was changed. Make sure that the other host is off, then confirm it with --old-host-is-off.',
      );
    await refuseBesideServingPeer(config);
    const { restore } = await import('../../db/copies/restore.ts');
    const file = await newestCopy(values.from ?? path.join(config.DEFAULT.state_path, 'backups'));
    const { nodes, generation, before } = restore(file, config.database.path, new Date());
    stdout.write(
      `this host has the records of ${file} as generation ${generation}; nodes in quarantine: ${nodes}\n` +
        (before === undefined ? '' : `the previous database is kept as ${before}\n`) +
        'start the daemon, then: ironic-edge quarantine release-matching\n',
    );
    return 0;
  },
});

export const standbyCommand = groupOf(USAGE, { promote });

/** Without a key no answer counts; then only the operator's word says that the other host is off. */
async function refuseBesideServingPeer({ standby }: Pick<Config, 'standby'>): Promise<void> {
  const key = siteKey(standby);
  if (key === undefined) return;
  const answers = await Promise.all(
    standby.peers.map(async (url) => ({ url, answer: await askPeer(url, key, systemClock) })),
  );
  for (const { url, answer } of answers)
    if (answer.kind === 'serves')
      throw new Error(
        `Nothing was changed: ${url} still serves generation ${answer.site.generation}. Stop the daemon there first.`,
      );
}

/** Returns the newest backup in the directory `place`, or `place` itself if it is a file. Throws when there is no backup. */
async function newestCopy(place: string): Promise<string> {
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) return place;
  const { backupsIn } = await import('../../db/copies/back-up.ts');
  const [newest] = backupsIn(place);
  if (newest === undefined)
    throw new Error(`${place} has no backup. Name the copy of the database with --from FILE.`);
  return newest;
}

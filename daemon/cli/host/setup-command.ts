// `ironic-edge setup`: makes this host ready to serve machines, and takes that back.
import { knownImages } from '../../model/known-images.ts';
import { commandOf, FLAG, TEXT, WrongArguments } from '../command.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';

const USAGE = `usage: ironic-edge setup [--interface NAME] [--dhcp own|proxy|none] [--range FIRST-LAST] [--admin USER]
                         [--password-file FILE] [--image SYSTEM,...] [--ramdisk build|none|FOLDER]
                         [--keep-ramdisk yes|no] [--api-address ADDRESS] [--tls-certificate FILE --tls-key FILE]
                         [--firewall yes|no] [--yes] [--dry-run]
       ironic-edge setup --undo [--yes] [--dry-run]

Makes this host ready, as root: installs packages, writes the configuration, a first user and a certificate, opens sockets and the
firewall, builds the ramdisk with the agent, starts the daemon, and runs the doctor. Asks what no option says, and shows all
changes before it makes them. Run again, it changes only what is not done yet. A line that you wrote stays as it is. Without
systemd it does not start the daemon, but prints the command that does, and runs no doctor.

  --interface NAME      the network interface at which machines boot
  --dhcp                own: the daemon gives addresses; proxy: a server that is there gives them, and the daemon says what to
                        boot; none: machines boot from virtual media only
  --range FIRST-LAST    the addresses that machines get, with --dhcp own
  --admin USER          who may log in first
  --password-file FILE  a file with the password of USER and nothing else; without it setup asks for a password, or makes one and
                        shows it once
  --image SYSTEM,...    systems for the catalogue of images, such as ${[...knownImages.keys()].slice(0, 2).join(',')}; none
  --ramdisk             build (the default), none, or the folder of an image that "agent-image build" has made
  --keep-ramdisk yes|no whether the ramdisk runs on from inspection through cleaning to deployment ([deploy] fast_track), so that
                        machines boot less often; without work they are switched off after half an hour
  --api-address ADDRESS where people reach the API: by default the address of this host towards other networks, otherwise
                        that of --interface. At 127.0.0.1 the API has no TLS
  --tls-certificate, --tls-key
                        the certificate of the API with its chain, and its key; without them setup makes one
  --firewall yes|no     whether the ports are opened in ufw, firewalld or nftables, whichever filters (the default: yes)
  --yes                 takes the proposed answers and asks nothing
  --dry-run             shows what would be done, and changes nothing
  --undo                takes back what setup has changed: files, users, certificate, units, firewall, ramdisk and packages. The
                        database stays, and lines of setup that you have edited

exit code: 0 done, 1 the doctor has findings or something failed, 2 wrong arguments, 78 the configuration is invalid,
130 interrupted
`;

export const setupCommand = commandOf({
  usage: USAGE,
  options: {
    interface: TEXT,
    dhcp: TEXT,
    range: TEXT,
    admin: TEXT,
    'password-file': TEXT,
    image: TEXT,
    ramdisk: TEXT,
    'keep-ramdisk': TEXT,
    'api-address': TEXT,
    'tls-certificate': TEXT,
    'tls-key': TEXT,
    firewall: { ...TEXT, default: 'yes' },
    yes: FLAG,
    'dry-run': FLAG,
    undo: FLAG,
  },
  positionals: [],
  async run({ values: { yes, undo, 'dry-run': isDryRun, firewall, ...given } }, context) {
    if (!['yes', 'no'].includes(firewall))
      throw new WrongArguments(`--firewall ${JSON.stringify(firewall)}: expected yes or no`);
    if (process.getuid?.() !== 0)
      throw new CommandFailure(
        'setup changes this host, which only root may do: sudo ironic-edge setup',
        exitCodes.failed,
      );
    // the daemon, which runs as another user, reads what is made here
    process.umask(0o022);
    const [{ onlyOne }, { runSetup, runUndo }, { terminalReader }, { thisHost }] = await Promise.all([
      import('../../lib/limits/only-one.ts'),
      import('../setup/run-setup.ts'),
      import('../setup/ask.ts'),
      import('../setup/host/host.ts'),
    ]);
    // until the process ends
    await onlyOne('setup', 'Another "ironic-edge setup" runs on this host. Wait until it has ended.');
    const interrupt = new AbortController();
    process.on('SIGINT', () => {
      context.stderr.write('\ninterrupted: setup ends after this step\n');
      interrupt.abort();
    });
    const common = { host: thisHost, isDryRun, takesProposals: yes, readLine: terminalReader(), context };
    if (undo) return runUndo(common);
    return runSetup({ ...common, given, opensFirewall: firewall === 'yes', signal: interrupt.signal });
  },
});

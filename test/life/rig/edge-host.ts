// A host with Debian 13 and its systemd, on the provisioning network of the rig and with no other: packages and images come from
// the mirror. What is typed in its shell is what an operator types there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Lab, labArchive } from '../../systemd/lab.ts';
import { ReaderShell } from '../readme-commands.ts';
import { MIRROR } from './mirror.ts';

const BOOT_MILLISECONDS = 60_000;
const POLL_MILLISECONDS = 100;
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** Units that start without the usual targets, which the lab does not have. */
const FREED = [
  'dbus.service',
  'dbus.socket',
  'radvd.service',
  'ironic-edge.service',
  'ironic-edge-backup.timer',
  ...['dhcp', 'proxydhcp', 'tftp', 'boot-http'].map((kind) => `ironic-edge-${kind}@.socket`),
];
/** Lets nothing in that nobody has asked for. */
const FIREWALL = `flush ruleset
table inet filter {
  chain input {
    type filter hook input priority filter; policy drop;
    iif lo accept
    ct state established,related accept
    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
  }
}
`;

/** Returns the archive of the host's file system; the first use downloads it. */
export const edgeHostArchive = (): string =>
  labArchive('trixie', { name: 'host', installed: ['dbus', 'nftables', 'openssh-client'], downloaded: [] });

export class EdgeHost implements AsyncDisposable {
  readonly #parts = new AsyncDisposableStack();
  readonly shell: ReaderShell;

  private constructor(parts: AsyncDisposableStack, shell: ReaderShell) {
    [this.#parts, this.shell] = [parts, shell];
  }

  /**
   * Boots a new host from the archive of its file system, and installs the Debian package `deb` on it. The daemon's log is kept in
   * `folder`.
   */
  static async boot(archive: string, deb: string, folder: string): Promise<EdgeHost> {
    await using parts = new AsyncDisposableStack();
    const lab = parts.use(new Lab(archive));
    const log = join(lab.root, 'lab/log');
    parts.defer(() => {
      if (existsSync(log)) copyFileSync(log, join(folder, 'daemon.log'));
    });
    for (const unit of FREED) lab.freeUnit(unit);
    lab.write(
      'etc/systemd/system/ironic-edge.service.d/log.conf',
      '[Service]\nStandardOutput=append:/lab/log\n',
    );
    lab.write(
      'etc/apt/sources.list',
      `deb [signed-by=${KEYRING}] ${MIRROR}/debian trixie main non-free-firmware\n`,
    );
    lab.write('etc/nftables.conf', FIREWALL);
    lab.write('etc/hosts', '127.0.0.1 localhost edge\n');
    const [program, ...words] = lab.entering(dirname(deb), '/packages');
    const booted = spawn(program, words, { stdio: ['ignore', 'ignore', 'ignore'] });
    parts.defer(async () => {
      const ended = once(booted, 'exit');
      booted.kill('SIGKILL');
      await ended;
    });
    const target = String(await firstProcess(booted.pid ?? 0));
    const namespaces = ['--mount', '--pid', '--uts', '--ipc', '--cgroup', '--root'];
    const environment = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'LANG=C.UTF-8'];
    const shell = parts.use(
      new ReaderShell('/', ['nsenter', '--target', target, ...namespaces, ...environment, 'bash', '--norc']),
    );
    await shell.type(
      'cd; timeout 60 bash -c "until systemctl is-active --quiet lab.target; do sleep 0.1; done"',
    );
    await shell.type(
      '. /lab/state.sh; systemd-sysusers; systemd-tmpfiles --create; systemctl start dbus.socket',
    );
    await shell.type('nft -f /etc/nftables.conf');
    await shell.type(
      `export DEBIAN_FRONTEND=noninteractive; apt-get update -q && apt-get install -qy /packages/${basename(deb)}`,
    );
    return new EdgeHost(parts.move(), shell);
  }

  /** What there is of files, units, packages and rules of the firewall. */
  state(): Promise<string> {
    return this.shell.type('state');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

/** Resolves with the process that is the first one in the namespaces that process `pid` makes. */
async function firstProcess(pid: number): Promise<number> {
  const deadline = performance.now() + BOOT_MILLISECONDS;
  for (;;) {
    const child = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
    // unshare's child becomes systemd when the namespaces are ready
    if (child > 0 && readFileSync(`/proc/${child}/comm`, 'utf8').startsWith('systemd')) return child;
    if (performance.now() > deadline) throw new Error('systemd did not start within a minute');
    await wait(POLL_MILLISECONDS);
  }
}

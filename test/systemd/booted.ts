// npm run systemd: boots a real systemd in namespaces, as root, with the daemon's units, and checks that the sockets start
// the daemon, that it has no privilege, and that a vendor's plugin runs with its limits. The first run downloads Debian packages
// with mmdebstrap.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const tree = path.join(import.meta.dirname, '..', '..');
const archive = path.join(tmpdir(), 'ironic-edge-systemd-udev-bookworm.tar');
const LIMIT_MILLISECONDS = 180_000;
/** The lab has no network target. */
const LAB_UNIT = '[Unit]\nDefaultDependencies=no\nWants=\nAfter=\n';

const CONFIGURATION = `[DEFAULT]
state_path = /var/lib/ironic-edge
my_ip = 10.77.0.1
enabled_hardware_types = ipmi,lab
[plugins]
path = /opt/ironic-edge/test/fixtures/plugins
`;

function run(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
}

function prepare(root: string): void {
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  };
  run('tar', '-C', root, '-xf', archive);
  mkdirSync(path.join(root, 'opt/ironic-edge'));
  for (const unit of globSync('*.{service,socket}', { cwd: path.join(tree, 'systemd') })) {
    cpSync(path.join(tree, 'systemd', unit), path.join(root, 'etc/systemd/system', unit));
    write(`etc/systemd/system/${unit}.d/lab.conf`, LAB_UNIT);
  }
  // there is no journal
  write('etc/systemd/system/ironic-edge.service.d/log.conf', '[Service]\nStandardOutput=append:/lab/log\n');
  for (const unit of ['ironic-edge-dhcp@lab0', 'ironic-edge-proxydhcp@lab0'])
    write(`etc/systemd/system/${unit}.socket.d/interface.conf`, '[Socket]\nBindToDevice=lab0\n');
  const installed = (name: string, place: string) =>
    cpSync(path.join(tree, 'systemd', name), path.join(root, place));
  installed('ironic-edge.sysusers', 'usr/lib/sysusers.d/ironic-edge.conf');
  installed('ironic-edge.tmpfiles', 'usr/lib/tmpfiles.d/ironic-edge.conf');
  write('etc/ironic-edge/ironic.conf', CONFIGURATION);
  cpSync(path.join(tree, 'test/systemd/booted/observe.sh'), path.join(root, 'lab/observe.sh'));
  const output = 'StandardOutput=append:/lab/seen\nStandardError=append:/lab/seen\n';
  const service = `[Service]\nType=oneshot\nExecStart=/bin/bash /lab/observe.sh\n${output}`;
  write('etc/systemd/system/lab.service', `[Unit]\nDefaultDependencies=no\n\n${service}`);
  write('etc/systemd/system/lab.target', '[Unit]\nWants=lab.service\n');
}

/** What observe.sh printed as `name=value`. */
function boot(root: string): Readonly<Record<string, string>> {
  const enter = path.join(tree, 'test/systemd/booted/enter.sh');
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--uts', '--ipc', '--cgroup', '--net'];
  const { stderr } = spawnSync('unshare', [...namespaces, 'bash', enter, root, tree], {
    encoding: 'utf8',
    timeout: LIMIT_MILLISECONDS,
    killSignal: 'SIGKILL',
  });
  const seen = path.join(root, 'lab/seen');
  const lines = existsSync(seen) ? readFileSync(seen, 'utf8') : stderr;
  console.log(lines);
  console.log(readFileSync(path.join(root, 'lab/log'), 'utf8'));
  return Object.fromEntries(lines.split('\n').flatMap((line) => [line.split('=', 2) as [string, string]]));
}

if (!existsSync(archive))
  run(
    'mmdebstrap',
    '--variant=minbase',
    '--include=systemd,udev,ca-certificates,iproute2,curl',
    'bookworm',
    archive,
  );
const root = mkdtempSync(path.join(tmpdir(), 'systemd-root-'));
try {
  prepare(root);
  const seen = boot(root);
  const { before, answer, user, device, answer_after_kill: again, restarts, stopped } = seen;
  assert.deepEqual({ before, answer, again }, { before: 'inactive', answer: '404', again: '404' });
  assert.deepEqual({ user, device, stopped }, { user: 'ironic-edge', device: '%lab0', stopped: 'success' });
  assert.ok(Number(restarts) >= 1);
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
    assert.equal(seen[set], '0'.repeat(16), set);
  const { plugin_niceness: niceness, plugin_bytes: bytes } = seen;
  assert.equal(niceness, '10', 'the priority of a plugin is lower');
  assert.match(bytes ?? 'unlimited', /^\d+$/, 'the memory of a plugin is limited');
  const names = seen['LISTEN_FDNAMES']?.split(':').toSorted();
  assert.deepEqual(names, ['boot-http', 'dhcp-lab0', 'proxydhcp-lab0', 'tftp']);
  console.log('systemd starts the daemon and its plugins for a request to a socket, without any privilege');
} finally {
  rmSync(root, { recursive: true });
}

// npm run systemd: boots a real systemd in namespaces, as root, with the daemon's units, and checks that the sockets start
// the daemon, that the daemon has no capability, and that a vendor's plugin runs with its limits.
import assert from 'node:assert/strict';
import { cpSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { installMissing, systemdPackages } from '../setup/packages.ts';
import { Lab, labArchive, type Suite } from './lab.ts';

const tree = path.join(import.meta.dirname, '..', '..');

const CONFIGURATION = `[DEFAULT]
state_path = /var/lib/ironic-edge
my_ip = 10.77.0.1
enabled_hardware_types = ipmi,lab
[dhcp_server]
subnet = 10.77.0.0/24 interface=lab0
mode = proxy
[plugins]
path = /opt/ironic-edge/test/fixtures/plugins
`;

function prepare(lab: Lab): void {
  mkdirSync(path.join(lab.root, 'opt/ironic-edge'));
  for (const unit of globSync('*.{service,socket}', { cwd: path.join(tree, 'systemd') })) {
    cpSync(path.join(tree, 'systemd', unit), path.join(lab.root, 'etc/systemd/system', unit));
    lab.freeUnit(unit);
  }
  // there is no journal, so the daemon logs to a file
  lab.write(
    'etc/systemd/system/ironic-edge.service.d/log.conf',
    '[Service]\nStandardOutput=append:/lab/log\n',
  );
  const installed = (name: string, place: string) =>
    cpSync(path.join(tree, 'systemd', name), path.join(lab.root, place));
  installed('ironic-edge.sysusers', 'usr/lib/sysusers.d/ironic-edge.conf');
  installed('ironic-edge.tmpfiles', 'usr/lib/tmpfiles.d/ironic-edge.conf');
  lab.write('etc/ironic-edge/ironic.conf', CONFIGURATION);
}

// also for the other parts of npm run systemd, which follow
installMissing(systemdPackages);
for (const suite of ['bookworm', 'trixie'] as const) check(suite);

function check(suite: Suite): void {
  using lab = new Lab(labArchive(suite));
  prepare(lab);
  const seen = lab.boot('observe.sh', tree, '/opt/ironic-edge');
  console.log(readFileSync(path.join(lab.root, 'lab/log'), 'utf8'));
  const { before, answer, user, device, answer_after_kill: again, restarts, stopped } = seen;
  assert.deepEqual({ before, answer, again }, { before: 'inactive', answer: '404', again: '404' });
  assert.deepEqual(
    { user, device, stopped },
    { user: 'ironic-edge', device: '%lab0 %lab0 ', stopped: 'success' },
  );
  assert.ok(Number(restarts) >= 1);
  assert.equal(seen['ready'], 'notify running ', 'systemd was told that the daemon is ready');
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
    assert.equal(seen[set], '0'.repeat(16), set);
  const { plugin_policy: policy, plugin_bytes: bytes } = seen;
  assert.equal(policy, '5', 'a plugin has the policy SCHED_IDLE');
  assert.match(bytes ?? 'unlimited', /^\d+$/, 'the memory of a plugin is limited');
  const names = seen['LISTEN_FDNAMES']?.split(':').toSorted();
  assert.deepEqual(names, ['boot-http', 'dhcp-lab0', 'proxydhcp-lab0', 'tftp']);
  console.log('systemd starts the daemon and its plugins for a request to a socket, without any capability');
}

// Part of npm run systemd: sets a booted Debian up with `ironic-edge setup`: beside another DHCP server, with ports taken, without
// network or space, killed at each change, run again, and taken back; and behind ufw and firewalld.
import assert from 'node:assert/strict';
import { cpSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Lab, labArchive, type Suite } from './lab.ts';

const tree = path.join(import.meta.dirname, '..', '..');
const units = path.join(tree, 'systemd');

const ADDITIONS = {
  name: 'setup-firewalls',
  installed: ['busybox', 'dbus', 'dnsmasq-base', 'firewalld', 'nftables', 'ufw'],
  downloaded: ['ipmitool', 'ipxe', 'qemu-utils', 'radvd', 'shim-signed', 'xorriso'],
};
/** Units that start without the usual targets, which the lab does not have. */
const FREED = [
  'dbus.service',
  'dbus.socket',
  'firewalld.service',
  'radvd.service',
  'systemd-networkd.service',
  'systemd-networkd.socket',
];

/**
 * What setup.sh prints. The numbers before texts are exit codes; the numbers after them count the lines that say what is
 * expected, or in which two states of the host differ. Exit code 1 is that of the doctor: the lab has no clock service and no
 * ramdisk.
 */
const EXPECTED = {
  dry_run: '0 1',
  no_interface: '2 1',
  no_answer: '2 1',
  no_link: '0 1',
  rival: '2 1',
  rival_proposed: '0 1',
  port_changed: '0 1',
  port_taken: '1 1',
  no_room: '1 1',
  untouched: '0',
  no_network: '1 1',
  full: '1 1 whole',
  interrupted: '130',
  killed: '137 137 137 137',
  finished: '1',
  doctor: 'clock ramdisk ',
  units: 'active enabled ',
  boots: '200',
  api: '401 200 200',
  router: '0',
  after_reload: '200',
  again: '1 0 runs-on',
  changed: '1 1 active',
  undone: '0 0',
  undone_again: '0 1',
  networkd: '2 inactive 0',
  networkd_undone: '0 0',
  networkd_silent: '',
};

/** What firewall.sh prints: what a machine reaches, each by DHCP, TFTP, HTTP and HTTPS. */
const CLOSED = 'none none none none';
const OPEN = 'got got got got';
const BEHIND_FIREWALLS = {
  ufw_rival: '2 1',
  ufw_closed: CLOSED,
  ufw_open: `1 ${OPEN}`,
  ufw_daemon: 'runs-on',
  ufw_router: '0',
  ufw_read_again: OPEN,
  ufw_again: '1',
  ufw_undone: '0 0',
  firewalld_rival: '2 1',
  firewalld_closed: 'none got none none',
  firewalld_open: `1 ${OPEN}`,
  firewalld_daemon: 'runs-on',
  firewalld_router: '0',
  firewalld_read_again: OPEN,
  firewalld_again: '1',
  firewalld_undone: '0 0',
};

function prepare(lab: Lab): void {
  mkdirSync(path.join(lab.root, 'opt/ironic-edge'));
  for (const unit of globSync('*.{service,socket,timer}', { cwd: units })) {
    cpSync(path.join(units, unit), path.join(lab.root, 'usr/lib/systemd/system', unit));
    lab.freeUnit(unit);
  }
  for (const unit of FREED) lab.freeUnit(unit);
  lab.write(
    'etc/systemd/system/ironic-edge.service.d/log.conf',
    '[Service]\nStandardOutput=append:/lab/log\n',
  );
  const installed = (name: string, place: string) =>
    cpSync(path.join(units, name), path.join(lab.root, place));
  installed('ironic-edge.sysusers', 'usr/lib/sysusers.d/ironic-edge.conf');
  installed('ironic-edge.tmpfiles', 'usr/lib/tmpfiles.d/ironic-edge.conf');
  lab.write('etc/ironic-edge/ironic.conf', readFileSync(path.join(units, 'examples/ironic.conf'), 'utf8'));
}

for (const suite of ['bookworm', 'trixie'] as const) {
  const { seconds } = check(suite, 'setup.sh', EXPECTED);
  console.log(
    `${suite}: setup works, repeats and takes itself back; a run without downloads took ${seconds} s`,
  );
  check(suite, 'firewall.sh', BEHIND_FIREWALLS);
  console.log(`${suite}: behind ufw and firewalld, machines reach what setup has set up`);
}

/** Returns all that the script printed. */
function check(
  suite: Suite,
  script: string,
  expected: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  using lab = new Lab(labArchive(suite, ADDITIONS));
  prepare(lab);
  const seen = lab.boot(script, tree, '/opt/ironic-edge');
  const found = Object.fromEntries(Object.keys(expected).map((name) => [name, seen[name]]));
  assert.deepEqual(found, expected, `${suite}\n${readFileSync(path.join(lab.root, 'lab/all'), 'utf8')}`);
  return seen;
}

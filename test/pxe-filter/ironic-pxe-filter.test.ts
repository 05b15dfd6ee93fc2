import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { DaemonProcess } from '../fakes/daemon/daemon-process.ts';
import { FILTER_COMMAND, FilterProcess } from '../fakes/boot/filter-process.ts';

const [A, B, GONE] = ['52:54:00:00:00:0a', '52:54:00:00:00:0b', '52:54:00:00:00:0c'] as const;

function hostsDirectory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'hosts-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const settings = (statePath: string, hosts: string) => ({
  IRONIC_DEFAULT__STATE_PATH: statePath,
  IRONIC_PXE_FILTER__DHCP_HOSTSDIR: hosts,
});

function run(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, ...environment };
  const { status, stdout, stderr } = spawnSync(FILTER_COMMAND, words, { encoding: 'utf8', env });
  return { status, stdout, stderr };
}

async function enrol(daemon: DaemonProcess, addresses: readonly string[]): Promise<void> {
  await daemon.request('POST', '/v1/nodes', { driver: 'manual-management', name: 'n1' });
  const { uuid: node_uuid } = await daemon.node('n1');
  for (const address of addresses) await daemon.request('POST', '/v1/ports', { address, node_uuid });
  await daemon.request('PUT', '/v1/nodes/n1/states/provision', { target: 'manage' });
  await daemon.nodeWhen('n1', (node) => node.provision_state === 'manageable' && node.reservation === null);
}

const inspect = (daemon: DaemonProcess) =>
  daemon.request('PUT', '/v1/nodes/n1/states/provision', { target: 'inspect' });
const isWritten = (line: Readonly<Record<string, unknown>>) => line['msg'] === 'host files written';

test('serve does not start without dhcp_hostsdir or with a missing directory', (t) => {
  const unset = run(['serve']);
  assert.deepEqual([unset.status, unset.stdout], [1, '']);
  assert.match(unset.stderr, /^ironic-pxe-filter: \[pxe_filter\] dhcp_hostsdir is not set: set it/);
  const missing = run(['serve'], settings(hostsDirectory(t), '/no/such/directory'));
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /dhcp_hostsdir = \/no\/such\/directory: expected a directory that exists/);
});

test('unknown options are logged as warnings only for the section pxe_filter', (t) => {
  const statePath = hostsDirectory(t);
  const file = join(statePath, 'ironic.conf');
  writeFileSync(file, `[inspector]\nadd_ports = all\n[acme]\nport = 1\n[pxe_filter]\nsync_perod = 5\n`);
  const { stdout } = run(['purge', '--config-file', file], {
    ...settings(statePath, statePath),
    IRONIC_INSPECTOR__KEEP_PORTS: 'all',
    IRONIC_PXE_FILTER__SYNC_PEROD: '5',
  });
  const warned = stdout.split('\n').filter((line) => line.includes('"level":"warn"'));
  assert.equal(warned.length, 2, stdout);
  assert.match(
    warned.join(),
    /no option \[pxe_filter\] sync_perod.*IRONIC_PXE_FILTER__SYNC_PEROD does not match any option/s,
  );
});

test('an unknown command-line option is named, with the usage and status 2', () => {
  const { status, stdout, stderr } = run(['serve', '--config', 'x']);
  assert.deepEqual([status, stdout], [2, '']);
  assert.match(stderr, /^ironic-pxe-filter: Unknown option '--config'.*\n\nusage: ironic-pxe-filter COMMAND/);
});

test('an unknown command prints the usage and exits with status 2, help with 0', () => {
  const { status, stderr } = run(['purgee']);
  assert.equal(status, 2);
  assert.match(stderr, /^usage: ironic-pxe-filter COMMAND/);
  for (const word of ['help', '--help', '-h']) {
    const { status: shown, stdout } = run([word]);
    assert.equal(shown, 0);
    assert.match(stdout, /^usage: ironic-pxe-filter COMMAND/);
  }
});

test('SIGHUP does not end the filter', async (t) => {
  const hosts = hostsDirectory(t);
  await using filter = await FilterProcess.start(settings(hosts, hosts));
  process.kill(filter.pid, 'SIGHUP');
  await filter.logged(({ msg }) => /nothing to reload/.test(String(msg)));
  assert.equal(await filter.end('SIGTERM'), 0);
});

test('purge deletes host files without a port and updates the others, whether the daemon runs or not', async (t) => {
  const hosts = hostsDirectory(t);
  await using daemon = await DaemonProcess.start();
  await enrol(daemon, [A]);
  const purge = () => {
    writeFileSync(join(hosts, GONE), `${GONE}\n`);
    writeFileSync(join(hosts, A), `${A}\n`);
    assert.deepEqual(run(['purge'], settings(daemon.statePath, hosts)).status, 0);
    assert.deepEqual(readdirSync(hosts).toSorted(), [A, 'unknown_hosts_filter']);
    assert.equal(readFileSync(join(hosts, A), 'utf8'), `${A},ignore\n`);
  };
  purge();
  await daemon.kill();
  purge();
  await daemon.restart();
  await daemon.stop();
  purge();
  // files that purge leaves beside the database do not disturb the daemon
  await daemon.restart();
  assert.equal((await daemon.node('n1')).provision_state, 'manageable');
});

test('purge changes nothing when it cannot read the database', (t) => {
  const hosts = hostsDirectory(t);
  writeFileSync(join(hosts, GONE), `${GONE}\n`);
  const { status, stderr } = run(['purge'], settings(join(hosts, 'none'), hosts));
  assert.equal(status, 1);
  assert.match(stderr, /^ironic-pxe-filter: The database .* cannot be read/);
  assert.deepEqual(readdirSync(hosts), [GONE]);
});

test('serve waits for a missing database, exits with status 0 on SIGTERM and keeps the files', async (t) => {
  const hosts = hostsDirectory(t);
  await using daemon = await DaemonProcess.start();
  await daemon.stop();
  const database = join(daemon.statePath, 'ironic-edge.sqlite');
  rmSync(database);
  await using filter = await FilterProcess.start(settings(daemon.statePath, hosts));
  assert.match(String(filter.log[0]?.['reason']), new RegExp(`The database ${database} cannot be read`));
  await daemon.restart();
  await filter.logged(isWritten);
  assert.equal(await filter.end('SIGTERM'), 0);
  assert.deepEqual(readdirSync(hosts), ['unknown_hosts_filter']);
});

/**
 * Returns the words to put before a command so that it runs in its own mount namespace. `script`, which runs first, may mount
 * there; the command lacks root's capabilities.
 */
const mounting = (script: string) => {
  const shell = `${script}; exec setpriv --bounding-set=-all "$@"`;
  return ['unshare', '--map-root-user', '--mount', 'sh', '-ec', shell, '-'];
};
const readOnly = (path: string) => mounting(`mount --bind ${path} ${path}; mount -o remount,ro,bind ${path}`);

test('serve works with a read-only state directory while the daemon runs and after it is killed', async (t) => {
  const hosts = hostsDirectory(t);
  await using daemon = await DaemonProcess.start();
  await enrol(daemon, [A]);
  const { statePath } = daemon;
  const before = readdirSync(statePath);
  {
    await using filter = await FilterProcess.start(settings(statePath, hosts), readOnly(statePath));
    assert.equal(readFileSync(join(hosts, A), 'utf8'), `${A},ignore\n`);
    const seen = filter.log.length;
    await inspect(daemon);
    await filter.logged(isWritten, seen);
    assert.equal(readFileSync(join(hosts, A), 'utf8'), `${A}\n`);
    await daemon.kill();
  }
  rmSync(join(hosts, A));
  {
    await using filter = await FilterProcess.start(settings(statePath, hosts), readOnly(statePath));
    await filter.logged(isWritten);
    assert.equal(readFileSync(join(hosts, A), 'utf8'), `${A}\n`);
  }
  assert.deepEqual(readdirSync(statePath), before);
});

test('serve waits for the daemon when the state directory is read-only and the database has no -shm file', async (t) => {
  const hosts = hostsDirectory(t);
  await using daemon = await DaemonProcess.start();
  await enrol(daemon, [A]);
  await daemon.stop();
  const { statePath } = daemon;
  assert.ok(!existsSync(join(statePath, 'ironic-edge.sqlite-shm')));
  writeFileSync(join(hosts, A), `${A}\n`);
  await using filter = await FilterProcess.start(settings(statePath, hosts), readOnly(statePath));
  assert.match(JSON.stringify(filter.log), /unable to open database file.*the host files remain unchanged/);
  assert.equal(readFileSync(join(hosts, A), 'utf8'), `${A}\n`);
  await daemon.restart();
  await filter.logged(isWritten);
  assert.equal(readFileSync(join(hosts, A), 'utf8'), `${A},ignore\n`);
});

test('serve survives a full disk and a read-only directory without partial files', async (t) => {
  const hosts = hostsDirectory(t);
  await using daemon = await DaemonProcess.start();
  await enrol(daemon, [A, B]);
  const full = `mount -t tmpfs -o size=32k tmpfs ${hosts}; head -c 1M /dev/zero > ${hosts}/.ballast 2> /dev/null || true`;
  await using filter = await FilterProcess.start(settings(daemon.statePath, hosts), mounting(full));
  assert.match(JSON.stringify(filter.log), /3 of 3 host files could not be written.*ENOSPC/);
  const inside = `/proc/${filter.pid}/root${hosts}`;
  assert.deepEqual(readdirSync(inside), ['.ballast']);
  rmSync(join(inside, '.ballast'));
  await filter.logged(isWritten);
  assert.deepEqual(readdirSync(inside).toSorted(), [A, B, 'unknown_hosts_filter']);

  chmodSync(inside, 0o555);
  const seen = filter.log.length;
  await inspect(daemon);
  await filter.logged((line) => /3 of 3 host files .*EACCES/.test(String(line['reason'])), seen);
  assert.equal(readFileSync(join(inside, A), 'utf8'), `${A},ignore\n`);
  chmodSync(inside, 0o755);
  await filter.logged(isWritten, seen);
  assert.equal(readFileSync(join(inside, A), 'utf8'), `${A}\n`);
});

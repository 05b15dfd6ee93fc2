import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { WrongArguments } from '../../../../daemon/cli/command.ts';
import { CONFIG_FILE } from '../../../../daemon/cli/setup/paths.ts';
import { runSetup, runUndo } from '../../../../daemon/cli/setup/run-setup.ts';
import type { ReadLine } from '../../../../daemon/cli/setup/ask.ts';
import { matches } from '../../../../daemon/http/login/password-worker.ts';
import { parsePasswordFile } from '../../../../daemon/http/login/password-file.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';
import { type Programs, type FakeHost, fakeHost } from './fake-host.ts';

const PACKAGES = ['ipmitool', 'qemu-utils', 'xorriso', 'ipxe', 'shim-signed'];
/** A host without systemd, as a container is. */
const CONTAINER: Programs = {
  'ip -json address': JSON.stringify([
    {
      ifname: 'br0',
      link_type: 'ether',
      flags: [],
      addr_info: [{ family: 'inet', local: '10.0.0.1', prefixlen: 24 }],
    },
  ]),
  'ip -json': '[]',
  'dpkg-query': PACKAGES.map((name) => `ii ${name}\n`).join(''),
  'openssl req': '',
};
const BASE = { interface: 'br0', ramdisk: 'none', 'api-address': '127.0.0.1' };

interface Given {
  readonly options?: Readonly<Record<string, string>>;
  readonly isDryRun?: boolean;
  readonly isYes?: boolean;
  readonly readLine?: ReadLine;
}

const setup = (host: FakeHost, { options = {}, isDryRun = false, isYes = true, readLine }: Given = {}) =>
  runCommand((context) =>
    runSetup({
      host,
      context,
      isDryRun,
      readLine,
      given: { ...BASE, ...options },
      takesProposals: isYes,
      opensFirewall: true,
      signal: new AbortController().signal,
    }),
  );
const undo = (host: FakeHost) =>
  runCommand((context) =>
    runUndo({ host, context, isDryRun: false, takesProposals: true, readLine: undefined }),
  );

test('without systemd it writes the configuration and a user, and prints the command of the daemon', async (t) => {
  const host = fakeHost(t, CONTAINER);
  const { code, out, errors } = await setup(host, { options: { image: 'debian-13' } });
  assert.equal(code, 0);
  assert.match(out, /^br0 has no link: another DHCP server on its network is not found now\.$/m);
  assert.match(out, /does not start the daemon\. .*: ironic-edge image add debian-13; ironic-edge doctor$/m);
  assert.match(
    out,
    /with-sockets dhcp-br0 ra-br0 tftp=10\.0\.0\.1:69 -- ironic-edge serve --config-file \/etc\/ironic-edge\/ironic\.conf/,
  );
  assert.match(
    readFileSync(host.root + CONFIG_FILE, 'utf8'),
    /^subnet = 10\.0\.0\.0\/24 range=10\.0\.0\.128-10\.0\.0\.254 interface=br0$/m,
  );
  const [, password = ''] = /the password of admin, shown only now: (\S+)/.exec(errors) ?? [];
  const accounts = parsePasswordFile(
    'htpasswd',
    readFileSync(`${host.root}/etc/ironic-edge/htpasswd`, 'utf8'),
  );
  assert.ok(matches({ password, digest: accounts.get('admin') ?? '' }), errors);
  assert.doesNotMatch(
    readFileSync(`${host.root}/etc/ironic-edge/setup.journal`, 'utf8'),
    new RegExp(password),
  );
});

test('run again, it changes nothing and shows no password', async (t) => {
  const host = fakeHost(t, CONTAINER);
  await setup(host);
  const before = readFileSync(host.root + CONFIG_FILE, 'utf8');
  const { code, out, errors } = await setup(host);
  assert.deepEqual([code, errors], [0, '']);
  assert.match(out, /^Nothing to change\.$/m);
  assert.equal(readFileSync(host.root + CONFIG_FILE, 'utf8'), before);
});

test('a dry run shows everything, and not even a journal is written', async (t) => {
  const host = fakeHost(t, { ...CONTAINER, 'dpkg-query': '' });
  const { code, out } = await setup(host, { isDryRun: true });
  assert.equal(code, 0);
  assert.match(out, /- installs the packages ipmitool qemu-utils xorriso ipxe shim-signed\n/);
  assert.match(out, /- adds to \/etc\/ironic-edge\/ironic\.conf\n {6}\[DEFAULT\]/);
  assert.equal(existsSync(`${host.root}/etc`), false);
  assert.ok(!host.ran.some((line) => /install --|^apt-get(?! .*--simulate)/.test(line)), host.ran.join('\n'));
});

test('after the undo the files are as before', async (t) => {
  const host = fakeHost(t, CONTAINER);
  host.write(CONFIG_FILE, '[DEFAULT]\n# mine\n');
  host.write(
    '/etc/ironic-edge/htpasswd',
    'ann:$2y$05$abcdefghijklmnopqrstuuQ6Zc0XJd7yGm1mFq1F4rN2yJvTQmW1C\n',
  );
  await setup(host);
  assert.equal(readFileSync(`${host.root}/etc/ironic-edge/htpasswd`, 'utf8').split('\n').length, 3);
  const { code, out } = await undo(host);
  assert.equal(code, 0);
  assert.match(out, /What setup has changed is taken back/);
  assert.equal(readFileSync(host.root + CONFIG_FILE, 'utf8'), '[DEFAULT]\n# mine\n');
  assert.match(readFileSync(`${host.root}/etc/ironic-edge/htpasswd`, 'utf8'), /^ann:\S+\n$/);
  assert.match((await undo(host)).out, /Nothing to take back/);
});

test("lines that the operator edits become the operator's, and stay when setup runs again", async (t) => {
  const host = fakeHost(t, CONTAINER);
  await setup(host);
  const edited = readFileSync(host.root + CONFIG_FILE, 'utf8').replace('port = 8080', 'port = 8888');
  host.write(CONFIG_FILE, edited);
  const { code, out } = await setup(host);
  assert.equal(code, 0);
  assert.match(
    out,
    /note: \S+ironic\.conf:\d+ sets \[boot_http\] port = 8888; setup would set 8080, and keeps yours/,
  );
  assert.equal(readFileSync(host.root + CONFIG_FILE, 'utf8'), edited);
});

test('the password of a user whom setup did not make stays', async (t) => {
  const host = fakeHost(t, CONTAINER);
  const line = 'admin:$2y$05$abcdefghijklmnopqrstuuQ6Zc0XJd7yGm1mFq1F4rN2yJvTQmW1C\n';
  host.write('/etc/ironic-edge/htpasswd', line);
  host.write('/password', 'another password\n');
  const { out } = await setup(host, { options: { 'password-file': `${host.root}/password` } });
  assert.match(out, /note: \/etc\/ironic-edge\/htpasswd has a user admin already, whose password stays/);
  assert.equal(readFileSync(`${host.root}/etc/ironic-edge/htpasswd`, 'utf8'), line);
});

test('a port of the daemon that another program holds is named, and nothing is changed', async (t) => {
  const udp = 'udp UNCONN 0 0 0.0.0.0:67 0.0.0.0:* users:(("dnsmasq",pid=812,fd=4))';
  const host = fakeHost(t, { ...CONTAINER, 'ss -Hlnptu': udp });
  await assert.rejects(
    setup(host, { options: { dhcp: 'own' } }),
    /another DHCP server, dnsmasq \(process 812\) on this host, answers on br0/,
  );
  const tftp = udp.replace(':67', ':69');
  const other = fakeHost(t, { ...CONTAINER, 'ss -Hlnptu': tftp });
  await assert.rejects(
    setup(other),
    /UDP port 69, which TFTP needs, is taken by dnsmasq \(process 812\)\. Stop that program/,
  );
  assert.equal(existsSync(`${other.root}/etc`), false);
});

test('without a terminal the changes need --yes, and on a terminal a yes', async (t) => {
  const host = fakeHost(t, CONTAINER);
  const options = {
    dhcp: 'own',
    range: '10.0.0.50-10.0.0.60',
    admin: 'ann',
    image: 'none',
    'keep-ramdisk': 'yes',
    'password-file': `${host.root}/password`,
  };
  host.write('/password', 'correct horse\n');
  await assert.rejects(
    setup(host, { options, isYes: false }),
    (error) => error instanceof WrongArguments && /add --yes/.test(error.message),
  );
  await assert.rejects(
    setup(host, { options, isYes: false, readLine: async () => 'n' }),
    /Nothing was changed/,
  );
  assert.equal(existsSync(`${host.root}/etc`), false);
  assert.equal((await setup(host, { options, isYes: false, readLine: async () => 'y' })).code, 0);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { useImage } from '../../../../../daemon/cli/agent-image/agent-images.ts';
import { plantImage } from '../../../../fakes/agent-images.ts';
import { undoAll } from '../../../../../daemon/cli/setup/apply.ts';
import { fakeHost } from '../fake-host.ts';
import { DEBIAN, inputChain, planned, systemctl, undo } from '../planned-host.ts';

test('what the daemon needs is started in an order in which its sockets can be opened', async (t) => {
  const host = fakeHost(t, DEBIAN);
  const { ids, apply: make } = await planned(host);
  assert.deepEqual(ids, ['configuration', 'router-advertisements', 'user', 'units']);
  await make();
  assert.deepEqual(systemctl(host), [
    'systemctl stop ironic-edge.service radvd.service',
    'systemctl enable --quiet ironic-edge-dhcp@br0.socket ironic-edge-tftp@10.0.0.1.socket ironic-edge.service ironic-edge-backup.timer radvd.service',
    'systemctl start ironic-edge-dhcp@br0.socket',
    'systemctl start ironic-edge-tftp@10.0.0.1.socket',
    'systemctl start ironic-edge.service',
    'systemctl start ironic-edge-backup.timer',
    'systemctl start radvd.service',
  ]);
  host.answers['systemctl is-'] = '';
  assert.deepEqual((await planned(host)).ids, [], 'a second run has nothing to do');
});

test('a daemon that was not started after the last change is started by the next run', async (t) => {
  const host = fakeHost(t, { ...DEBIAN, 'systemctl is-': '' });
  const { plan, apply: make } = await planned(host);
  delete host.answers['systemctl stop'];
  await assert.rejects(make(), /"systemctl stop ironic-edge\.service radvd\.service" failed/);
  assert.deepEqual(plan.changes.at(-1)?.id, 'units');
  host.answers['systemctl stop'] = '';
  assert.deepEqual((await planned(host)).ids, ['units']);
});

test('the undo disables what was disabled, and starts what ran', async (t) => {
  const host = fakeHost(t, { 'systemctl is-active --quiet ironic-edge.service': '', ...DEBIAN });
  await (await planned(host)).apply();
  const from = systemctl(host).length;
  await undo(host);
  const [stop, disable, ...others] = systemctl(host).slice(from);
  assert.match(stop ?? '', /stop .*ironic-edge\.service/);
  assert.match(disable ?? '', /disable --quiet .*ironic-edge-dhcp@br0\.socket/);
  assert.deepEqual(others, ['systemctl start ironic-edge.service']);
});

test('sockets of an interface that machines no longer boot from are closed', async (t) => {
  const host = fakeHost(t, DEBIAN);
  await (await planned(host)).apply();
  host.answers['systemctl is-'] = '';
  const { shows } = await planned(host, { dhcp: 'proxy' });
  assert.match(shows('units'), /enable .*ironic-edge-proxydhcp@br0\.socket/);
  const none = await planned(host, { dhcp: 'none' });
  assert.match(
    none.shows('units'),
    /disable --now ironic-edge-dhcp@br0\.socket ironic-edge-tftp@10\.0\.0\.1\.socket radvd\.service/,
  );
});

test('systemd-networkd advertises where it manages the interface, unless its file says so already', async (t) => {
  const file = '/etc/systemd/network/50-br0.network';
  const host = fakeHost(t, { ...DEBIAN, 'networkctl ': `  Network File: ${file}\n` });
  host.write(file, '[Match]\nName=br0\n');
  const { ids, shows, apply: make } = await planned(host);
  assert.ok(ids.includes('router-advertisements'));
  assert.match(shows('router-advertisements'), /IPv6SendRA=yes[^]*RouterLifetimeSec=0/);
  assert.doesNotMatch(shows('units'), /radvd/);
  await make();
  assert.ok(systemctl(host).includes('systemctl restart systemd-networkd.service'));
  assert.match(
    readFileSync(`${host.root}/etc/systemd/network/50-br0.network.d/ironic-edge.conf`, 'utf8'),
    /IPv6SendRA=yes/,
  );
  host.write(file, '[Match]\nName=br0\n[Network]\nIPv6SendRA=yes\n');
  const own = fakeHost(t, host.answers);
  own.write(file, '[Match]\nName=br0\n[Network]\nIPv6SendRA=yes\n');
  assert.ok(!(await planned(own)).ids.includes('router-advertisements'));
});

test('a radvd of the operator that serves the interface stays as it is', async (t) => {
  const host = fakeHost(t, DEBIAN);
  host.write('/etc/radvd.conf', 'interface br0 { AdvSendAdvert on; };\n');
  assert.ok(!(await planned(host)).ids.includes('router-advertisements'));
  host.write('/etc/radvd.conf', 'interface br01 { AdvSendAdvert on; };\n');
  assert.ok((await planned(host)).ids.includes('router-advertisements'));
});

test('ufw is opened for the interface, closed by the undo, and left alone when it has the rules', async (t) => {
  const host = fakeHost(t, {
    ...DEBIAN,
    'ufw status': 'Status: active\n',
    'ufw show added': '',
    'ufw allow': '',
    'ufw delete': '',
  });
  const first = await planned(host);
  assert.equal(
    first.shows('firewall'),
    `ufw allow in on br0 to any port 67,69 proto udp comment ironic-edge: udp 67 69 on br0
ufw allow in on br0 to any port 8080,6386 proto tcp comment ironic-edge: tcp 8080 6386 on br0`,
  );
  await first.apply();
  host.answers['ufw show added'] =
    "ufw allow ... comment 'ironic-edge: udp 67 69 on br0'\nufw allow ... comment 'ironic-edge: tcp 8080 6386 on br0'\n";
  assert.ok(!(await planned(host)).ids.includes('firewall'));
  await undo(host);
  assert.deepEqual(
    host.ran.filter((line) => line.startsWith('ufw delete')),
    [
      'ufw delete allow in on br0 to any port 67,69 proto udp',
      'ufw delete allow in on br0 to any port 8080,6386 proto tcp',
    ],
  );
});

test('firewalld is opened in the zone of the interface, now and after a restart', async (t) => {
  const host = fakeHost(t, {
    ...DEBIAN,
    'firewall-cmd --state': 'running\n',
    'firewall-cmd --get-zone': 'internal\n',
  });
  const { shows } = await planned(host);
  assert.match(
    shows('firewall'),
    /^firewall-cmd --zone=internal --add-port=67\/udp\nfirewall-cmd --permanent --zone=internal --add-port=67\/udp\n/,
  );
  assert.match(shows('firewall'), /--add-port=8080\/tcp/);
  host.answers['firewall-cmd --permanent --zone=internal --query-port=67/udp'] = 'yes\n';
  const beside = (await planned(host)).shows('firewall');
  assert.doesNotMatch(beside, /67\/udp/, 'a port that is open stays open after the undo');
  assert.match(beside, /--add-port=69\/udp/);
});

test('without a firewall that filters, or without the wish, no rule is made', async (t) => {
  const host = fakeHost(t, { ...DEBIAN, 'ufw status': 'Status: inactive\n', 'nft -j': '{"nftables": []}' });
  assert.ok(!(await planned(host)).ids.includes('firewall'));
  host.answers['ufw status'] = 'Status: active\n';
  assert.ok(!(await planned(host, {}, false)).ids.includes('firewall'));
});

test('missing packages come first, and those that they bring are known for the undo', async (t) => {
  const host = fakeHost(t, {
    ...DEBIAN,
    'apt-get --yes --no-install-recommends -o DPkg::Lock::Timeout=120 --simulate':
      'Inst libradvd (1.0 Debian:12 [amd64])\nInst radvd (2.19 Debian:12 [amd64])\nConf radvd (2.19)\n',
  });
  host.answers['dpkg-query'] = DEBIAN['dpkg-query']?.replace('ii radvd\n', '') ?? '';
  const { plan } = await planned(host);
  assert.equal(plan.changes[0]?.says, 'installs the packages radvd');
  assert.deepEqual(await plan.changes[0]?.prepare(), { kind: 'packages', names: ['libradvd', 'radvd'] });
});

test('a ramdisk of the operator is left alone, and a folder that holds no image is refused', async (t) => {
  const host = fakeHost(t, DEBIAN);
  await assert.rejects(
    planned(host, { ramdisk: '/nowhere' }),
    /--ramdisk \/nowhere: expected build, none, or a folder/,
  );
  host.write(
    '/etc/ironic-edge/ironic.conf',
    '[conductor]\ndeploy_kernel = http://192.0.2.1/k\ndeploy_ramdisk = http://192.0.2.1/r\n',
  );
  assert.ok(!(await planned(host, { ramdisk: 'build' })).ids.includes('ramdisk'));
});

test('the folder of an image that was built is named in the configuration', async (t) => {
  const host = fakeHost(t, DEBIAN);
  const folder = '/srv/images/one';
  host.write(
    `${folder}/build.json`,
    JSON.stringify({
      sha256: { kernel: 'a'.repeat(64), ramdisk: 'b'.repeat(64) },
      architecture: process.arch === 'x64' ? 'amd64' : 'arm64',
    }),
  );
  const { shows, apply: make } = await planned(host, { ramdisk: folder });
  assert.match(
    shows('ramdisk-lines'),
    /deploy_ramdisk = file:\/\/\/srv\/images\/one\/agent\.ramdisk#sha256=b{64}/,
  );
  await make();
  host.answers['systemctl is-'] = '';
  assert.deepEqual((await planned(host, { ramdisk: folder })).ids, []);
});

test('the configuration names the link to the image that was built, so that updates need no change', async (t) => {
  const host = fakeHost(t, DEBIAN);
  const directory = `${host.root}/var/lib/ironic-edge/agent-images`;
  await useImage(directory, plantImage(directory, 'one'));
  const { ids, shows, apply: make } = await planned(host, { ramdisk: 'build' });
  assert.ok(!ids.includes('ramdisk'), 'nothing is built');
  assert.match(
    shows('ramdisk-lines'),
    /^deploy_ramdisk = file:\/\/\/var\/lib\/ironic-edge\/agent-images\/(?:amd64|arm64)\/agent\.ramdisk$/m,
  );
  await make();
  host.answers['systemctl is-'] = '';
  await useImage(directory, plantImage(directory, 'two'));
  assert.deepEqual((await planned(host, { ramdisk: 'build' })).ids, []);
});

test('nftables gets its rules where it filters, for IPv4 and for the search of iPXE for an IPv6 router', async (t) => {
  const ruleset = {
    nftables: [
      inputChain('ip', 'four'),
      inputChain('ip6', 'six'),
      { ...inputChain('inet', 'idle'), chain: { ...inputChain('inet', 'idle').chain, policy: 'accept' } },
    ],
  };
  const host = fakeHost(t, { ...DEBIAN, 'nft -j': JSON.stringify(ruleset), 'nft ': '' });
  host.write('/etc/nftables.conf', 'table ip four {\n}\n');
  const { shows, apply: make } = await planned(host);
  assert.equal(
    shows('firewall'),
    `nft insert rule ip four input iifname "br0" udp dport { 67, 69 } accept comment "ironic-edge: udp 67 69 on br0"
nft insert rule ip four input iifname "br0" tcp dport { 8080, 6386 } accept comment "ironic-edge: tcp 8080 6386 on br0"
nft insert rule ip6 six input iifname "br0" icmpv6 type nd-router-solicit accept comment "ironic-edge: icmpv6 on br0"`,
  );
  assert.equal(shows('firewall-file').split('\n').length, 2, 'the file makes only one of the chains');
  await make();
  await undo(host);
  assert.equal(readFileSync(`${host.root}/etc/nftables.conf`, 'utf8'), 'table ip four {\n}\n');
});

test('a system is added to the catalogue only by somebody who can log in', async (t) => {
  const host = fakeHost(t, DEBIAN);
  assert.equal((await planned(host, { images: ['debian-13'] })).ids.at(-1), 'image-debian-13');
  await (await planned(host, { images: [] })).apply();
  const { plan, ids } = await planned(host, { images: ['debian-13'], password: undefined });
  assert.ok(!ids.includes('image-debian-13'));
  assert.deepEqual(plan.notes, ['needs the password of admin: ironic-edge image add debian-13']);
});

test('packages that others need stay, and the undo says so', async (t) => {
  const host = fakeHost(t, DEBIAN);
  host.journal().begins('packages', { kind: 'packages', names: ['radvd'] });
  const start = 'apt-get --yes --no-install-recommends -o DPkg::Lock::Timeout=120';
  host.answers[`${start} --simulate purge radvd`] = 'Purg radvd [2.19]\nRemv site-router [1.0]\n';
  const said: string[] = [];
  await undoAll(host, host.journal(), { doing: () => undefined, say: (line) => void said.push(line) });
  assert.match(said.join(), /the packages radvd stay, because site-router need them/);
  assert.ok(!host.ran.some((line) => line.startsWith(`${start} purge`)));
});

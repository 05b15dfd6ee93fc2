// The daemon's DHCPv6 server under the load of perfdhcp: many machines at once, and lost packets. Speed is not checked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from 'node:stream/consumers';
import { perfdhcpCounts } from '../../fakes/boot/perfdhcp-counts.ts';
import { ipv6Lab, settle } from '../../fakes/dhcp6/dhcp6-network.ts';
import { skipWithout } from '../../setup/packages.ts';

const skip = skipWithout('kea-admin') || skipWithout('iproute2') || skipWithout('nftables');
const OPTIONS = {
  subnet: '2001:db8:99::/64 range=2001:db8:99::1:0-2001:db8:99::1:fff interface=server',
  known_machines_only: 'false',
};

test('1000 machines at once get IPv6 addresses, as do 200 with 5 % packet loss', { skip }, async (t) => {
  const { lab, daemon } = await ipv6Lab(t, []);
  const host = await lab.host('10.99.0.2/24');
  t.after(() => host[Symbol.asyncDispose]());
  settle(host, 'eth0');
  // all machines of perfdhcp have this address, so the server knows them by their identifiers
  host.run('ip', '-6', 'address', 'flush', 'dev', 'eth0');
  host.run('ip', '-6', 'address', 'add', 'fe80::77/64', 'dev', 'eth0', 'nodad');
  await daemon.start(OPTIONS);
  lab.run('nft', 'add table ip6 lossy; add chain ip6 lossy in { type filter hook input priority 0; }');
  for (const [index, { machines, lost }] of [
    { machines: 1000, lost: 0 },
    { machines: 200, lost: 50 },
  ].entries()) {
    lab.run(
      'nft',
      `flush chain ip6 lossy in; add rule ip6 lossy in udp dport 547 numgen random mod 1000 < ${lost} drop`,
    );
    const base = `mac=00:0c:0${index}:00:00:00`;
    const words = ['-6', '-l', 'eth0', '-b', base, '--scenario', 'avalanche', '-R', String(machines)];
    const child = host.spawn('perfdhcp', ...words);
    child.stderr.resume();
    const counts = perfdhcpCounts(await text(child.stdout));
    assert.deepEqual(counts['received packets'], [machines, machines], `${lost} of 1000 packets lost`);
    assert.equal(counts['non unique addresses']?.[1] ?? 0, 0);
  }
  await daemon.end('SIGTERM');
  const db = daemon.database();
  const leases = db.dhcp6Leases.list();
  db.close();
  assert.equal(leases.length, 1200);
  assert.equal(new Set(leases.map(({ mac }) => mac)).size, 1200);
});

// The daemon's DHCP server under the load of perfdhcp: many machines at once, lost packets, kills of the daemon. Speed is not
// checked.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { udhcpc } from '../../fakes/boot/dhcp-network.ts';
import { DhcpServerProcess } from '../../fakes/boot/dhcp-server-process.ts';
import { mac } from '../../fakes/boot/dhcp-site.ts';
import { perfdhcpCounts } from '../../fakes/boot/perfdhcp-counts.ts';
import { NetworkSpace } from '../../fakes/boot/network-space.ts';
import { skipWithout } from '../../setup/packages.ts';

const skip = skipWithout('kea-admin') || skipWithout('iproute2') || skipWithout('nftables');
const OPTIONS = {
  subnet: '10.99.0.0/16 range=10.99.1.0-10.99.40.255 interface=server',
  known_machines_only: 'false',
};

/** A daemon that serves every machine, and a host on its link from which perfdhcp asks as a relay does. */
async function rack(t: TestContext) {
  const lab = await NetworkSpace.start();
  t.after(() => lab[Symbol.asyncDispose]());
  lab.run('ip', 'address', 'add', '10.99.0.1/16', 'dev', 'server');
  const host = await lab.host('10.99.255.1/16');
  t.after(() => host[Symbol.asyncDispose]());
  const daemon = new DhcpServerProcess(lab);
  t.after(() => daemon[Symbol.asyncDispose]());
  await daemon.start(OPTIONS);
  const perfdhcp = async (base: string, ...words: readonly string[]) => {
    const child = host.spawn(
      'perfdhcp',
      '-4',
      '-u',
      '-l',
      'eth0',
      '-b',
      `mac=${base}`,
      ...words,
      '10.99.0.1',
    );
    child.stderr.resume();
    return perfdhcpCounts(await text(child.stdout));
  };
  return { lab, daemon, perfdhcp };
}

const LAST = mac(1);

/** How many addresses were acknowledged twice. Offers may repeat: to a machine that asked twice, and after a restart. */
const givenTwice = (counts: ReturnType<typeof perfdhcpCounts>) => counts['non unique addresses']?.[1];

test('1000 machines at once get addresses, as do 200 with up to 10 % packet loss', { skip }, async (t) => {
  const { lab, daemon, perfdhcp } = await rack(t);
  const asked = [
    { machines: 1000, lost: 0 },
    { machines: 200, lost: 5 },
    { machines: 200, lost: 50 },
    { machines: 200, lost: 100 },
  ];
  lab.run('nft', 'add table ip lossy; add chain ip lossy in { type filter hook input priority 0; }');
  for (const [index, { machines, lost }] of asked.entries()) {
    lab.run(
      'nft',
      `flush chain ip lossy in; add rule ip lossy in udp dport 67 numgen random mod 1000 < ${lost} drop`,
    );
    const counts = await perfdhcp(
      `00:0c:0${index}:00:00:00`,
      '--scenario',
      'avalanche',
      '-R',
      String(machines),
    );
    assert.deepEqual(counts['received packets'], [machines, machines], `${lost} of 1000 packets lost`);
    assert.equal(givenTwice(counts), 0);
  }
  await daemon.end('SIGTERM');
  const leases = daemon.leases();
  assert.equal(leases.length, 1600);
  assert.equal(new Set(leases.map((lease) => lease.mac)).size, 1600);
});

test('no message is lost while the interface gets and loses other addresses', { skip }, async (t) => {
  const { lab, daemon, perfdhcp } = await rack(t);
  const asked = perfdhcp('00:0c:08:00:00:00', '-r', '100', '-R', '20000', '-p', '4');
  const other = ['10.50.0.1/24', 'dev', 'server'];
  const over = new AbortController();
  void asked.finally(() => over.abort());
  while (!over.signal.aborted)
    for (const change of ['add', 'del']) {
      lab.run('ip', 'address', change, ...other);
      await setTimeout(100);
    }
  const counts = await asked;
  // perfdhcp does not wait for the last answers; this machine is answered after all others
  assert.ok(await udhcpc(lab, LAST));
  await daemon.logged(({ mac: of, msg }) => of === LAST && String(msg).startsWith('gets '));
  const offers = daemon.log.filter(
    ({ mac: of, msg }) => of !== LAST && String(msg).startsWith('is offered '),
  );
  assert.equal(offers.length, counts['sent packets']?.[0]);
});

test('no address is given twice when the daemon is killed under load', { skip }, async (t) => {
  const { daemon, perfdhcp } = await rack(t);
  const loaded = perfdhcp('00:0c:09:00:00:00', '-r', '150', '-R', '20000', '-p', '8', '-W', '1', '-d', '1');
  for (let kills = 0; kills < 2; kills += 1) {
    const from = daemon.log.length;
    for (let seen = 0; seen < 200; seen += 1) await daemon.logged(({ hop }) => hop === 'dhcp', from + seen);
    await daemon.end('SIGKILL');
    await daemon.start(OPTIONS);
  }
  const counts = await loaded;
  assert.equal(givenTwice(counts), 0);
  const [, acknowledged = 0] = counts['received packets'] ?? [];
  assert.ok(acknowledged > 100, `${acknowledged} addresses were given`);
  await daemon.end('SIGKILL');
  const leases = daemon.leases();
  assert.ok(leases.length >= acknowledged, 'at least as many leases are on disk as were acknowledged');
});

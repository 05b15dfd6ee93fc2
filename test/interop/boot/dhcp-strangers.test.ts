// What a stranger on the machines' network can do to the daemon's DHCP server and to the work on nodes, with real packets.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { DhcpServerProcess } from '../../fakes/boot/dhcp-server-process.ts';
import { fakePort, mac } from '../../fakes/boot/dhcp-site.ts';
import { NetworkSpace } from '../../fakes/boot/network-space.ts';
import { fakeNode } from '../../fakes/task.ts';
import { skipWithout } from '../../setup/packages.ts';

const skip = skipWithout('iproute2');
const SUBNET = '10.99.0.0/24 range=10.99.0.50-10.99.0.149 interface=server';
const STRANGER = join(import.meta.dirname, '../../fakes/boot/dhcp-stranger.ts');
const BOOT = { protocol: 'ipxe', title: 'test', kernel: '/kernel', ramdisk: null, commandLine: '' };

/** Prepares a daemon whose nodes with these MAC addresses are being cleaned, and a host that is a stranger on their network. */
async function site(t: TestContext, macs: readonly string[], options: Readonly<Record<string, string>> = {}) {
  const lab = await NetworkSpace.start();
  t.after(() => lab[Symbol.asyncDispose]());
  const host = await lab.host('10.99.0.200/24');
  t.after(() => host[Symbol.asyncDispose]());
  host.run('ip', 'route', 'add', '255.255.255.255', 'dev', 'eth0');
  const daemon = new DhcpServerProcess(lab);
  t.after(() => daemon[Symbol.asyncDispose]());
  const db = daemon.database();
  const nodes = macs.map((address) => {
    const node = fakeNode({
      uuid: randomUUID(),
      name: null,
      boot_interface: 'ipxe',
      provision_state: 'clean wait',
    });
    db.nodes.insert(node);
    db.ports.insert(fakePort(node.uuid, address));
    db.networkBoots.put(node.uuid, BOOT);
    return node.uuid;
  });
  db.close();
  const start = () => daemon.start({ subnet: SUBNET, ...options });
  await start();
  const stranger = (attack: string, client = mac(1)) =>
    JSON.parse(host.run(process.execPath, STRANGER, attack, client)) as unknown;
  /** Gets an address for the machine. */
  function lease(client: string): string | undefined {
    const { address, milliseconds } = stranger('lease', client) as { address?: string; milliseconds: number };
    t.diagnostic(`${client} got ${address} after ${milliseconds} ms`);
    return address;
  }
  return { daemon, nodes, start, stranger, lease };
}

function megabytesOf({ pid }: DhcpServerProcess): number {
  const [, kilobytes] = /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

test('forged boots end no work, and fill neither the timeline nor the log', { skip }, async (t) => {
  const { daemon, nodes, stranger, lease } = await site(t, [mac(1), mac(2)]);
  for (let round = 0; round < 5; round += 1) stranger('loop');
  assert.ok(lease(mac(2)));
  await daemon.end('SIGTERM');
  const db = daemon.database();
  const [node = ''] = nodes;
  assert.equal(db.nodes.get(node)?.provision_state, 'clean wait');
  assert.equal(db.nodes.get(node)?.last_error, null);
  const events = db.machineEvents.ofNode(node, { since: 0, limit: 2000 });
  db.close();
  assert.ok(events.length > 0 && events.length < 400, `${events.length} events of 1000 packets`);
  assert.ok(daemon.log.filter(({ mac: of }) => of === mac(1)).length < 400);
  assert.ok(!daemon.log.some(({ msg }) => String(msg).includes('boot loop')));
});

test(
  'a machine that declines every address takes none from the others, also across a restart',
  { skip },
  async (t) => {
    const { daemon, start, stranger, lease } = await site(t, [mac(1), mac(2), mac(3)]);
    assert.ok(Number(stranger('starve')) <= 5);
    assert.ok(lease(mac(2)));
    await daemon.end('SIGKILL');
    assert.deepEqual(
      daemon.leases().filter((each) => each.mac === null && each.expires_at > Date.now()),
      [],
    );
    await start();
    stranger('starve');
    assert.ok(lease(mac(3)));
  },
);

test(
  'offers that 400 invented machines do not take leave an address to a machine with a port',
  { skip },
  async (t) => {
    const { stranger, lease } = await site(t, [mac(1)], { known_machines_only: 'false' });
    stranger('discover');
    assert.ok(lease(mac(1)));
  },
);

test(
  'forged server identifiers are not believed, and 60,000 of them use little memory',
  { skip },
  async (t) => {
    const { daemon, stranger, lease } = await site(t, [mac(1), mac(2)]);
    stranger('rivals');
    const before = megabytesOf(daemon);
    for (let round = 0; round < 2; round += 1) stranger('rivals');
    const grown = megabytesOf(daemon) - before;
    t.diagnostic(
      `the daemon has ${before.toFixed(0)} MiB, and ${grown.toFixed(1)} MiB more after 40,000 packets`,
    );
    assert.ok(grown < 64);
    assert.ok(lease(mac(2)));
    await daemon.end('SIGTERM');
    const db = daemon.database();
    assert.deepEqual(db.dhcpRivals.recent(Date.now()), []);
    db.close();
    assert.ok(!daemon.log.some(({ msg }) => String(msg).includes('another DHCP server')));
  },
);

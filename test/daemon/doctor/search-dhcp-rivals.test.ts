import assert from 'node:assert/strict';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { NetworkSpace } from '../../fakes/boot/network-space.ts';
import { skipWithout } from '../../setup/packages.ts';

const skip = skipWithout('dnsmasq-base') || skipWithout('iproute2');
const DAEMON = path.join(import.meta.dirname, '../../../daemon');
const SEARCH = [
  path.join(DAEMON, 'cli/with-sockets'),
  'dhcp-server',
  '--',
  path.join(DAEMON, 'cli/node'),
  path.join(DAEMON, 'doctor/search-dhcp-rivals.ts'),
];

test('a real dnsmasq on the network is found, and nothing where there is none', { skip }, async () => {
  await using space = await NetworkSpace.start();
  assert.deepEqual(JSON.parse(space.run(...SEARCH, 'server')), []);
  await using host = await space.host('10.99.0.7/24');
  const dnsmasq = host.spawn(
    ...'dnsmasq --no-daemon --conf-file=/dev/null --port=0 --bind-interfaces --interface=eth0'.split(' '),
    '--dhcp-range=10.99.0.100,10.99.0.150,1h',
  );
  await once(dnsmasq.stderr, 'data');
  assert.deepEqual(JSON.parse(space.run(...SEARCH, 'server')), ['10.99.0.7']);
});

test('an interface that cannot be searched is named', { skip }, async () => {
  await using space = await NetworkSpace.start();
  assert.throws(() => space.run(...SEARCH, 'nowhere'), /this host has no interface nowhere/);
});

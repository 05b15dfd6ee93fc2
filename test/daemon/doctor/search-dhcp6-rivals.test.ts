import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { space } from '../../fakes/boot/dhcp-network.ts';
import { settle } from '../../fakes/dhcp6/dhcp6-network.ts';
import { skipWithout } from '../../setup/packages.ts';

const skip = skipWithout('dnsmasq-base') || skipWithout('iproute2');
const DAEMON = path.join(import.meta.dirname, '../../../daemon');
const SEARCH = [
  path.join(DAEMON, 'cli/with-sockets'),
  'dhcp6-server',
  '--',
  path.join(DAEMON, 'cli/node'),
  path.join(DAEMON, 'doctor/search-dhcp6-rivals.ts'),
];

test('a real DHCPv6 server on the network is found, and nothing where there is none', { skip }, async (t) => {
  const lab = await space(t);
  settle(lab, 'server');
  assert.throws(() => lab.run(...SEARCH, 'server'), /server has a link-local address only; give it another/);
  lab.run('ip', '-6', 'address', 'add', '2001:db8:99::1/64', 'dev', 'server', 'nodad');
  assert.deepEqual(JSON.parse(lab.run(...SEARCH, 'server')), []);
  const host = await lab.host('2001:db8:99::9/64');
  t.after(() => host[Symbol.asyncDispose]());
  settle(host, 'eth0');
  host.run('ip', '-6', 'address', 'add', '2001:db8:99::9/64', 'dev', 'eth0', 'nodad');
  const words = ['--no-daemon', '--conf-file=/dev/null', '--port=0', '--interface=eth0', '--bind-interfaces'];
  const rival = host.spawn('dnsmasq', ...words, '--dhcp-range=2001:db8:99::200,2001:db8:99::210,64,1h');
  for await (const chunk of rival.stderr.setEncoding('utf8')) if (String(chunk).includes('DHCPv6')) break;
  const found = JSON.parse(lab.run(...SEARCH, 'server')) as readonly string[];
  assert.match(found.join(), /^(?:2001:db8:99::9|fe80::[\da-f:]+)$/);
});

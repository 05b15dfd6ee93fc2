// The daemon's DHCPv6 server with real clients, relays and another real server.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { IPV6_SUBNET, ipv6Lab, settle } from '../../fakes/dhcp6/dhcp6-network.ts';
import { mac } from '../../fakes/boot/dhcp-site.ts';
import { type NetworkSpace, saidUntil } from '../../fakes/boot/network-space.ts';
import { skipWithout } from '../../setup/packages.ts';

const skip =
  skipWithout('iproute2') ||
  skipWithout('isc-dhcp-client') ||
  skipWithout('dhcpcd-base') ||
  skipWithout('isc-dhcp-relay');

interface Dhclient {
  readonly on: NetworkSpace;
  readonly name: string;
}

/** Returns a function that starts dhclient with the words, always with the same file of leases. */
function dhclientOn(t: TestContext, { on, name }: Dhclient) {
  const folder = mkdtempSync(join(tmpdir(), 'dhcp6-clients-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const files = ['-lf', join(folder, 'leases'), '-pf', join(folder, 'pid'), '-sf', '/bin/true'];
  return (...words: readonly string[]) =>
    on.spawn('dhclient', '-6', '-v', '-d', '-cf', '/dev/null', ...files, ...words, name);
}

const bound = 'Bound to lease';

test('dhclient and dhcpcd get addresses, which they keep after a kill of the daemon', { skip }, async (t) => {
  const { daemon, lab, interfaceOf } = await ipv6Lab(t, [mac(1), mac(2)]);
  await daemon.start({ subnet: IPV6_SUBNET });
  const dhclient = dhclientOn(t, { on: lab, name: interfaceOf(mac(1)) });
  assert.match(
    await saidUntil(dhclient(), bound),
    /RCV: Advertise[\s\S]*immediately selected[\s\S]*RCV: Reply/,
  );
  const gets = await daemon.logged(({ msg }) => msg === 'gets 2001:db8:99::50 (os)');
  assert.equal(gets['mac'], mac(1));

  const config = join(mkdtempSync(join(tmpdir(), 'dhcpcd6-')), 'dhcpcd.conf');
  t.after(() => rmSync(dirname(config), { recursive: true, force: true }));
  writeFileSync(config, 'ipv6only\nnoipv6rs\nia_na\nduid ll\n');
  // the own script of dhcpcd would replace /etc/resolv.conf of this host
  const words = ['--nobackground', '--oneshot', '--script', '/bin/true', '-6', '-f', config];
  const dhcpcd = lab.spawn('dhcpcd', ...words, interfaceOf(mac(2)));
  assert.match(await saidUntil(dhcpcd, 'adding address'), /adding address 2001:db8:99::51/);

  await daemon.end('SIGKILL');
  await daemon.start({ subnet: IPV6_SUBNET });
  // dhclient asks whether its address is still right, and then releases it, once and without waiting for the reply
  await saidUntil(dhclient(), 'RCV: Reply');
  await daemon.logged(({ msg, mac: of }) => of === mac(1) && msg === 'may keep its address');
  dhclient('-r').stderr.resume();
  await daemon.logged(({ msg, mac: of }) => of === mac(1) && msg === 'gives back 2001:db8:99::50');
});

test(
  'a machine without a port gets no answer, and one that only wants settings gets these',
  { skip },
  async (t) => {
    const { daemon, lab, interfaceOf } = await ipv6Lab(t, [mac(1)]);
    await daemon.start({ subnet: IPV6_SUBNET });
    const stranger = dhclientOn(t, { on: lab, name: interfaceOf(mac(9)) });
    stranger().stderr.resume();
    const silence = await daemon.logged(({ hop, mac: of }) => hop === 'dhcp' && of === mac(9));
    assert.equal(silence['msg'], 'gets no answer: no port has this MAC address (os, IPv6)');
    const client = dhclientOn(t, { on: lab, name: interfaceOf(mac(1)) });
    const settings = await saidUntil(client('-S'), 'RCV: Reply');
    assert.match(settings, /XMT: Info-Request[\s\S]*RCV: Reply/);
    await daemon.logged(({ msg }) => msg === 'gets settings for its address (os)');
  },
);

test('a machine behind dhcrelay gets an address of its own network', { skip }, async (t) => {
  const { daemon, lab } = await ipv6Lab(t, [mac(3)]);
  const relay = await lab.host('2001:db8:99::2/64');
  t.after(() => relay[Symbol.asyncDispose]());
  lab.run('ip', '-6', 'route', 'add', '2001:db8:98::/64', 'via', '2001:db8:99::2');
  relay.run('ip', 'link', 'add', 'below', 'type', 'veth', 'peer', 'name', 'machine', 'address', mac(3));
  for (const name of ['below', 'machine']) relay.run('ip', 'link', 'set', name, 'up');
  for (const name of ['eth0', 'below', 'machine']) settle(relay, name);
  relay.run('ip', '-6', 'address', 'add', '2001:db8:99::2/64', 'dev', 'eth0', 'nodad');
  relay.run('ip', '-6', 'address', 'add', '2001:db8:98::1/64', 'dev', 'below', 'nodad');
  await daemon.start({
    subnet: `${IPV6_SUBNET},2001:db8:98::/64 range=2001:db8:98::50-2001:db8:98::59`,
  });
  relay.spawn('dhcrelay', '-6', '-d', '-l', 'below', '-u', '2001:db8:99::1%eth0').stderr.resume();
  const said = await saidUntil(dhclientOn(t, { on: relay, name: 'machine' })(), bound);
  assert.match(said, /IAADDR 2001:db8:98::50/);
  await daemon.logged(({ msg, mac: of }) => of === mac(3) && msg === 'gets 2001:db8:98::50 (os)');
});

test('another DHCPv6 server on the network is reported', { skip }, async (t) => {
  const { daemon, lab } = await ipv6Lab(t, []);
  const host = await lab.host('2001:db8:99::9/64');
  t.after(() => host[Symbol.asyncDispose]());
  settle(host, 'eth0');
  host.run('ip', '-6', 'address', 'add', '2001:db8:99::9/64', 'dev', 'eth0', 'nodad');
  const words = ['--no-daemon', '--conf-file=/dev/null', '--port=0', '--interface=eth0', '--bind-interfaces'];
  const rival = host.spawn('dnsmasq', ...words, '--dhcp-range=2001:db8:99::200,2001:db8:99::210,64,1h');
  for await (const chunk of rival.stderr.setEncoding('utf8')) if (String(chunk).includes('DHCPv6')) break;
  await daemon.start({ subnet: IPV6_SUBNET });
  const warning = await daemon.logged(({ level, server: other }) => level === 'warn' && other !== undefined);
  assert.match(String(warning['server']), /^(?:2001:db8:99::9|fe80::)/);
});

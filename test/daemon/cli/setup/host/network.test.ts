import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeRange, networkOf } from '../../../../../daemon/cli/setup/host/network.ts';
import { parseIpv4 } from '../../../../../daemon/lib/network/ipv4.ts';
import { parseIpv6 } from '../../../../../daemon/lib/network/ipv6.ts';
import { fakeHost } from '../fake-host.ts';

const numbers = (...addresses: readonly string[]) => addresses.map((text) => parseIpv4(text) ?? 0);

test('the proposed range is the upper half of the longest run of free addresses', () => {
  assert.equal(freeRange('10.0.0.0/24', numbers('10.0.0.1')), '10.0.0.128-10.0.0.254');
  assert.equal(freeRange('10.0.0.0/24', numbers('10.0.0.1', '10.0.0.200')), '10.0.0.100-10.0.0.199');
  assert.equal(freeRange('10.0.0.0/24', numbers('10.0.0.100', '192.0.2.9')), '10.0.0.177-10.0.0.254');
  assert.equal(freeRange('192.0.2.8/29', numbers('192.0.2.9')), '192.0.2.10-192.0.2.14');
  assert.equal(freeRange('10.0.0.0/8', numbers('10.0.0.1')), '10.255.239.255-10.255.255.254');
});

test('in an IPv6 subnet, the proposed range lies behind the low numbers, or is the upper half of a small one', () => {
  assert.equal(
    freeRange('2001:db8::/64', [0x2001_0db8_0000_0000_0000_0000_0000_0001n]),
    '2001:db8::1000-2001:db8::1fff',
  );
  assert.equal(freeRange('2001:db8::/120', numbers('10.0.0.1')), '2001:db8::80-2001:db8::fe');
  assert.equal(freeRange('2001:db8::/64', [0x2001_0db8_0000_0000_0000_0000_0000_1234n]), undefined);
});

test('no range is proposed where all addresses are in use', () => {
  assert.equal(freeRange('192.0.2.8/30', numbers('192.0.2.9', '192.0.2.10')), undefined);
});

const link = (ifname: string, given: object = {}) => ({
  ifname,
  link_type: 'ether',
  flags: ['BROADCAST', 'UP', 'LOWER_UP'],
  addr_info: [],
  ...given,
});
const inet = (local: string, prefixlen: number) => ({ addr_info: [{ family: 'inet', local, prefixlen }] });

const inet6 = (local: string, scope = 'global', temporary = false) => ({
  addr_info: [{ family: 'inet6', local, prefixlen: 64, scope, temporary }],
});

test('the network is what ip and networkctl say', async (t) => {
  const host = fakeHost(t, {
    'ip -json address show': JSON.stringify([
      link('lo', { link_type: 'loopback', ...inet('127.0.0.1', 8) }),
      link('eno1', inet('192.0.2.7', 24)),
      link('eth1', { ...inet('10.0.0.1', 20), flags: ['NO-CARRIER'] }),
      link('eth2', inet6('fe80::1', 'link')),
      link('eth3', {
        addr_info: [...inet6('2001:db8::7', 'global', true).addr_info, ...inet6('2001:db8::1').addr_info],
      }),
    ]),
    'ip -json route show default': JSON.stringify([{ dst: 'default', gateway: '192.0.2.1', dev: 'eno1' }]),
    'ip -json -6 route show default': '[]',
    'ip -json neighbour show': JSON.stringify([
      { dst: '10.0.0.9', lladdr: '52:54:00:00:00:01' },
      { dst: '10.0.0.10', state: ['FAILED'] },
      { dst: '2001:db8::9', lladdr: '52:54:00:00:00:02' },
    ]),
    'networkctl --no-pager --full status eno1': [
      '● 2: eno1',
      '                     Link File: /usr/lib/systemd/network/99-default.link',
      '                  Network File: /etc/systemd/network/50-eno1.network',
      '                  Connected To: sw1 (Ethernet Bridge) on port Ethernet3',
    ].join('\n'),
  });
  const network = await networkOf(host);
  const [eno1, eth1, eth3, ...others] = network.interfaces;
  assert.deepEqual(others, []);
  assert.deepEqual([eth3?.address, eth3?.subnet], ['2001:db8::1', '2001:db8::/64']);
  assert.deepEqual(eno1, {
    name: 'eno1',
    address: '192.0.2.7',
    subnet: '192.0.2.0/24',
    hasLink: true,
    isWayOut: true,
    peer: 'sw1 (Ethernet Bridge) on port Ethernet3',
    networkFile: '/etc/systemd/network/50-eno1.network',
  });
  assert.deepEqual(
    [eth1?.subnet, eth1?.hasLink, eth1?.isWayOut, eth1?.networkFile],
    ['10.0.0.0/20', false, false, undefined],
  );
  assert.deepEqual(network.withoutAddress, ['eth2']);
  const six = ['fe80::1', '2001:db8::7', '2001:db8::1', '2001:db8::9'].map((text) => parseIpv6(text));
  const used = numbers('127.0.0.1', '192.0.2.7', '10.0.0.1', '192.0.2.1', '10.0.0.9');
  assert.deepEqual(
    network.inUse.filter((each) => typeof each === 'number'),
    used,
  );
  assert.deepEqual(
    network.inUse.filter((each) => typeof each === 'bigint'),
    six,
  );
});

test('a host without the program ip is told what to install', async (t) => {
  await assert.rejects(networkOf(fakeHost(t)), /apt-get install iproute2/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalIp } from '../../../../daemon/lib/network/ip.ts';
import { isSubnetOf, subnetHosts } from '../../../../daemon/lib/network/subnet-hosts.ts';

const hosts = (subnet: string) => {
  const { count, addresses } = subnetHosts(subnet);
  const all = [...addresses()];
  assert.equal(all.length, count, subnet);
  for (const each of all) assert.equal(canonicalIp(each), each);
  return all;
};

test('the address of an IPv4 network and its broadcast address are no hosts, except in the smallest networks', () => {
  assert.deepEqual(hosts('10.0.9.8/30'), ['10.0.9.9', '10.0.9.10']);
  assert.deepEqual(hosts('10.0.9.10/255.255.255.252'), ['10.0.9.9', '10.0.9.10']);
  assert.deepEqual(hosts('10.0.9.8/31'), ['10.0.9.8', '10.0.9.9']);
  assert.deepEqual(hosts('10.0.9.8'), ['10.0.9.8']);
  const [first, last] = [hosts('255.255.252.0/22')[0], hosts('255.255.252.0/22').at(-1)];
  assert.deepEqual([first, last], ['255.255.252.1', '255.255.255.254']);
});

test('all addresses of an IPv6 network may be hosts', () => {
  assert.deepEqual(hosts('fd00:9::fffe/127'), ['fd00:9::fffe', 'fd00:9::ffff']);
  assert.deepEqual(hosts('fd00:9::1'), ['fd00:9::1']);
  assert.equal(subnetHosts('fd00:9::/64').count, 2 ** 64);
  assert.equal(subnetHosts('::/0').family, 'ipv6');
});

test('a network is inside another if all its addresses are', () => {
  for (const inner of ['10.0.8.0/22', '10.0.9.0/24', '10.0.11.255'])
    assert.ok(isSubnetOf(inner, '10.0.8.0/22'), inner);
  for (const inner of ['10.0.8.0/21', '10.0.12.0/24', 'fd00::1', '0.0.0.0/0'])
    assert.equal(isSubnetOf(inner, '10.0.8.0/22'), false, inner);
  assert.ok(isSubnetOf('fd00:9:0:1::/64', 'fd00:9::/32'));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addressIn,
  configuredIpv6Subnets,
  configuredSubnets,
  isOnlyRelayed,
} from '../../../../daemon/boot/dhcp/configured-subnets.ts';
import { ip, subnetOf } from '../../../fakes/boot/dhcp-site.ts';

const RANGE = 'range=10.0.0.50-10.0.0.60';
const configured = (mode: 'server' | 'proxy', ...subnet: readonly string[]) =>
  configuredSubnets({ subnet, options: [], mode });

test('subnets are refused if none has an interface in proxy mode, one has no range in server mode, or two overlap or share an interface', () => {
  assert.throws(() => configured('proxy', `10.0.0.0/24 ${RANGE}`), {
    message:
      '[dhcp_server] subnet = 10.0.0.0/24: name the network interface that requests arrive at: interface=NAME.',
  });
  assert.throws(() => configured('server', '10.0.0.0/24 interface=a'), {
    message: '[dhcp_server] subnet = 10.0.0.0/24: mode = server needs range=FIRST-LAST.',
  });
  assert.throws(
    () => configured('server', `10.0.0.0/24 ${RANGE} interface=a`, '10.0.0.0/16 range=10.0.9.1-10.0.9.2'),
    {
      message: '[dhcp_server] subnet = 10.0.0.0/16: it overlaps 10.0.0.0/24.',
    },
  );
  assert.throws(() => configured('proxy', '10.0.0.0/24 interface=a', '10.1.0.0/24 interface=a'), {
    message:
      '[dhcp_server] subnet = 10.1.0.0/24: interface a already has 10.0.0.0/24, and an interface can serve only one subnet.',
  });
});

test('proxy mode needs no range, and a relayed subnet no interface', () => {
  assert.equal(configured('proxy', '10.0.0.0/24 interface=a').length, 1);
  assert.equal(
    configured('server', `10.0.0.0/24 ${RANGE} interface=a`, '10.1.0.0/24 range=10.1.0.5-10.1.0.9').length,
    2,
  );
  assert.deepEqual(configured('server'), []);
});

test('all subnets may be behind relays, and get the options that are set for them', () => {
  const subnet = [`10.0.0.0/24 ${RANGE}`, '10.1.0.0/24 range=10.1.0.5-10.1.0.9'];
  const options = ['10.1.0.0/24 {"interface-mtu": 9000}'];
  const subnets = configuredSubnets({ subnet, options, mode: 'server' });
  assert.ok(isOnlyRelayed(subnets));
  assert.deepEqual(
    subnets.map((each) => each.options.map(({ code }) => code)),
    [[], [26]],
  );
});

const host = (...addresses: readonly string[]) => ({ name: 'a', mac: '52:54:00:00:00:01', addresses });

test("the server's address is the one in the interface's subnet", () => {
  const subnets = [subnetOf('10.0.0.0/24 interface=a')];
  assert.equal(addressIn(host('192.0.2.1', '10.0.0.7'), subnets), ip('10.0.0.7'));
  assert.equal(
    addressIn(host('192.0.2.1'), subnets),
    'a has no address in 10.0.0.0/24 (it has 192.0.2.1); give it one, or correct [dhcp_server] subnet',
  );
});

const ipv6 = (mode: 'server' | 'proxy', ...subnet: readonly string[]) =>
  configuredIpv6Subnets({ mode, subnet, options: [] }).map(({ cidr }) => cidr);

test('IPv4 and IPv6 subnets are separate: they may share an interface, and only IPv4 has a proxy', () => {
  const both = [`10.0.0.0/24 ${RANGE} interface=a`, '2001:db8::/64 interface=a', '2001:db8:1::/64'];
  assert.deepEqual(
    configured('server', ...both).map(({ cidr }) => cidr),
    ['10.0.0.0/24'],
  );
  assert.deepEqual(ipv6('server', ...both), ['2001:db8::/64', '2001:db8:1::/64']);
  assert.throws(() => ipv6('server', '2001:db8::/64', '2001:db8::/32'), /overlaps 2001:db8::\/64/);
  assert.throws(() => ipv6('proxy', ...both), /DHCPv6 has no ProxyDHCP/);
});

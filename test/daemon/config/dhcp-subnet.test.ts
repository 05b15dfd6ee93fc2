import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readAnyDhcpSubnet, readDhcp6Subnet, readDhcpSubnet } from '../../../daemon/config/dhcp-subnet.ts';
import { loadConfig } from '../../../daemon/config/load.ts';
import { ip } from '../../fakes/boot/dhcp-site.ts';
import { ip6 } from '../../fakes/dhcp6/dhcp6-site.ts';

const reason = (text: string) => {
  const reading = readDhcpSubnet(text);
  return reading.kind === 'unreadable' ? reading.reason : undefined;
};

test('the network and all settings of a subnet are read', () => {
  const text =
    '10.0.0.0/24 range=10.0.0.50-10.0.0.99 range=10.0.0.10-10.0.0.19 router=10.0.0.1 dns=10.0.0.1 dns=9.9.9.9 ntp=10.0.0.3 domain=rack.example interface=br0';
  assert.deepEqual(readDhcpSubnet(text), {
    kind: 'read',
    value: {
      cidr: '10.0.0.0/24',
      network: ip('10.0.0.0'),
      last: ip('10.0.0.255'),
      mask: ip('255.255.255.0'),
      ranges: [
        { first: ip('10.0.0.50'), last: ip('10.0.0.99') },
        { first: ip('10.0.0.10'), last: ip('10.0.0.19') },
      ],
      routers: [ip('10.0.0.1')],
      dns: [ip('10.0.0.1'), ip('9.9.9.9')],
      ntp: [ip('10.0.0.3')],
      domain: 'rack.example',
      options: [],
      interface: 'br0',
    },
  });
});

test('a subnet with a mistake is refused with a reason that names the mistake', () => {
  const known = 'range=..., router=..., dns=..., ntp=..., domain=..., interface=...';
  const mistakes: Readonly<Record<string, string>> = {
    '': 'the empty text is not an IPv4 subnet with a prefix of 8 to 30 bits',
    '10.0.0.0': '10.0.0.0 is not an IPv4 subnet with a prefix of 8 to 30 bits',
    '10.0.0.0/31': '10.0.0.0/31 is not an IPv4 subnet with a prefix of 8 to 30 bits',
    '10.0.0.0/024': '10.0.0.0/024 is not an IPv4 subnet with a prefix of 8 to 30 bits',
    '10.0.0.1/24': '10.0.0.1/24 has host bits; the subnet is 10.0.0.0/24',
    '10.0.0.0/24 gateway=10.0.0.1': `gateway=10.0.0.1 is not one of ${known}`,
    '10.0.0.0/24 router': `router is not one of ${known}`,
    '10.0.0.0/24 router=10.0.1.1': '10.0.1.1 is not the address of a host in 10.0.0.0/24',
    '10.0.0.0/24 router=10.0.0.255': '10.0.0.255 is not the address of a host in 10.0.0.0/24',
    '10.0.0.0/24 dns=10.0.0.01': '10.0.0.01 is not an IPv4 address',
    '10.0.0.0/24 range=10.0.0.5': 'range=10.0.0.5 is not FIRST-LAST',
    '10.0.0.0/24 range=10.0.0.9-10.0.0.5': 'range=10.0.0.9-10.0.0.5 ends before it begins',
    '10.0.0.0/24 range=10.0.0.5-10.0.0.9 range=10.0.0.9-10.0.0.9':
      'the range that begins at 10.0.0.9 overlaps another',
    '10.0.0.0/8 range=10.0.0.1-10.9.0.1': 'its ranges have 589825 addresses; at most 65536 are allowed',
    '10.0.0.0/24 interface=a interface=b': 'interface is given 2 times',
    '10.0.0.0/24 interface=a/b': 'a/b is not the name of a network interface',
    '10.0.0.0/24 interface=sixteen-letters-': 'sixteen-letters- is not the name of a network interface',
  };
  for (const [text, expected] of Object.entries(mistakes)) assert.equal(reason(text), expected);
});

test('the configuration error for a subnet names the file, the option, the text and the mistake', () => {
  const text = '[dhcp_server]\nsubnet = 10.0.0.0/24 router=10.0.1.1\n';
  const machine = { hostname: 'h', address: '10.0.0.1', workingDirectory: '/' };
  assert.throws(
    () => loadConfig({ file: { path: '/etc/x.conf', text }, environment: {}, sections: [], machine }),
    /\/etc\/x\.conf:2: \[dhcp_server\] subnet = "10\.0\.0\.0\/24 router=10\.0\.1\.1": expected NETWORK\/BITS and then range=.*; but 10\.0\.1\.1 is not the address of a host in 10\.0\.0\.0\/24$/m,
  );
});

test('[dhcp_server] subnet may be set several times, once for each subnet', () => {
  const text = '[dhcp_server]\nsubnet = 10.0.0.0/24 interface=a\nsubnet = 10.1.0.0/24 interface=b\n';
  const machine = { hostname: 'h', address: '10.0.0.1', workingDirectory: '/' };
  const { config } = loadConfig({ file: { path: 'f', text }, environment: {}, sections: [], machine });
  assert.deepEqual(config.dhcp_server.subnet, ['10.0.0.0/24 interface=a', '10.1.0.0/24 interface=b']);
});

test('reading any text never throws', () => {
  const words = fc.constantFrom(
    '10.0.0.0/24',
    'range=',
    'router=10.0.0.1',
    '-',
    '10.0.0.9',
    ' ',
    '=',
    '/',
    'dns',
  );
  fc.assert(fc.property(fc.array(words, { maxLength: 12 }), (list) => void readDhcpSubnet(list.join(''))));
});

test('an IPv6 subnet is read, with or without a range', () => {
  const text =
    '2001:db8::/64 range=2001:db8::10-2001:db8::1f dns=2001:db8::1 ntp=2001:db8::2 domain=rack.example interface=br0';
  assert.deepEqual(readAnyDhcpSubnet(text), {
    kind: 'read',
    value: {
      cidr: '2001:db8::/64',
      network: ip6('2001:db8::'),
      last: ip6('2001:db8::ffff:ffff:ffff:ffff'),
      ranges: [{ first: ip6('2001:db8::10'), last: ip6('2001:db8::1f') }],
      routers: [],
      dns: [ip6('2001:db8::1')],
      ntp: [ip6('2001:db8::2')],
      domain: 'rack.example',
      options: [],
      interface: 'br0',
    },
  });
  assert.equal(readDhcp6Subnet('2001:db8::/64 interface=br0').kind, 'read');
  const mistakes: Readonly<Record<string, RegExp>> = {
    '2001:db8::/8': /is not an IPv6 subnet with a prefix of 16 to 126 bits/,
    '2001:db8::1/64': /has host bits; the subnet is 2001:db8::\/64/,
    '2001:db8::/64 router=2001:db8::1': /router= is of IPv4 subnets/,
    '2001:db8::/64 range=2001:db8::-2001:db8::9': /is not the address of a host/,
    '2001:db8::/64 range=2001:db8::9-2001:db8::1': /ends before it begins/,
    '2001:db8::/64 range=2001:db8::1-2001:db8::1:1': /have 65537 addresses/,
    '2001:db8::/64 dns=10.0.0.1': /10\.0\.0\.1 is not an IPv6 address/,
  };
  for (const [wrong, expected] of Object.entries(mistakes)) {
    const reading = readAnyDhcpSubnet(wrong);
    assert.match(reading.kind === 'unreadable' ? reading.reason : '', expected, wrong);
  }
});

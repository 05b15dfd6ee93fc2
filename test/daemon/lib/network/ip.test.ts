// Each IP address has one canonical spelling.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  canonicalIp,
  isHostAddress,
  isInSubnet,
  isLoopback,
  isSubnet,
} from '../../../../daemon/lib/network/ip.ts';

test('an IPv4 address is four decimal parts', () => {
  assert.equal(canonicalIp('192.0.2.7'), '192.0.2.7');
  for (const text of [
    '192.0.2',
    '192.0.2.256',
    '192.0.2.07',
    '0xc0.0.2.7',
    '3221225991',
    '192.0.2.7.1',
    '192.0.2.7/24',
  ])
    assert.equal(canonicalIp(text), undefined, text);
});

test('a subnet has a prefix length, a netmask, a wildcard mask or none of them', () => {
  const subnets: Readonly<Record<string, readonly [inside: string, outside: string]>> = {
    '192.0.2.0/24': ['192.0.2.9', '192.0.3.9'],
    '192.0.2.0/255.255.255.0': ['192.0.2.9', '192.0.3.9'],
    '192.0.2.0/0.0.0.255': ['192.0.2.9', '192.0.3.9'],
    '192.0.2.9': ['192.0.2.9', '192.0.2.8'],
    '0.0.0.0/0.0.0.0': ['192.0.2.9', '2001:db8::1'],
    '2001:db8::/ffff:ffff::': ['2001:db8::1', '2001:db9::1'],
  };
  for (const [subnet, [inside, outside]] of Object.entries(subnets)) {
    assert.ok(isSubnet(subnet), subnet);
    assert.deepEqual([isInSubnet(inside, subnet), isInSubnet(outside, subnet)], [true, false], subnet);
  }
  for (const text of [
    '',
    '192.0.2.0/33',
    '192.0.2.0/255.0.255.0',
    '192.0.2.0/ffff::',
    '192.0.2.0/24/8',
    'x/24',
  ])
    assert.equal(isSubnet(text), false, text);
});

test('an IPv6 address is compressed and lower-cased, without brackets and zone', () => {
  assert.equal(canonicalIp('2001:DB8:0:0:0:0:0:1'), '2001:db8::1');
  assert.equal(canonicalIp('[2001:db8::1]'), '2001:db8::1');
  assert.equal(canonicalIp('fe80::1%eno1'), 'fe80::1');
  assert.equal(canonicalIp('[fe80::0001%25eno1]'), 'fe80::1');
});

test('an IPv4-mapped IPv6 address becomes the IPv4 address', () => {
  assert.equal(canonicalIp('::ffff:192.0.2.7'), '192.0.2.7');
  assert.equal(canonicalIp('::FFFF:c000:207'), '192.0.2.7');
});

test('a host name, a network, a malformed address and an empty text have no canonical form', () => {
  for (const text of [
    '',
    'localhost',
    'bmc.example.org',
    '::g',
    ':',
    '2001:db8::/32',
    '1::2::3',
    '[192.0.2.7',
  ])
    assert.equal(canonicalIp(text), undefined, text);
});

test('a canonical IPv6 address is spelled as in URLs', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const canonical = canonicalIp(text);
      assert.ok(canonical !== undefined, text);
      assert.equal(canonicalIp(canonical), canonical);
      if (canonical.includes(':')) assert.equal(`[${canonical}]`, new URL(`http://[${text}]`).hostname);
    }),
    { numRuns: 500 },
  );
});

test('canonicalIp is idempotent for any text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4Extended(), fc.ipV6()), (text) => {
      const canonical = canonicalIp(text);
      assert.ok(canonical === undefined || canonicalIp(canonical) === canonical);
    }),
  );
});

test('loopback and unspecified addresses are not host addresses', () => {
  for (const text of ['127.0.0.1', '127.9.9.9', '::1', '0.0.0.0', '::'])
    assert.equal(isHostAddress(text), false, text);
  for (const text of ['192.0.2.7', '10.0.0.1', '2001:db8::1', 'fe80::1'])
    assert.equal(isHostAddress(text), true, text);
});

test('isLoopback accepts only loopback addresses', () => {
  assert.deepEqual(['127.0.0.1', '::1', '192.0.2.7', '::'].map(isLoopback), [true, true, false, false]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  ipText,
  ipv6Bytes,
  ipv6Of,
  ipv6Text,
  isGlobalUnicast,
  isLinkLocal,
  macInEui64,
  parseIp,
  parseIpv6,
} from '../../../../daemon/lib/network/ipv6.ts';

const number = (text: string): bigint => parseIpv6(text) ?? assert.fail(text);

test('every address is read again from its text and its bytes', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), (address) => {
      assert.equal(parseIpv6(ipv6Text(address)), address);
      assert.equal(ipv6Of(ipv6Bytes(address)), address);
    }),
  );
  assert.equal(ipv6Text(number('2001:0DB8:0:0:0:0:0:1')), '2001:db8::1');
});

test('other texts are no IPv6 addresses', () => {
  for (const text of ['', '::g', '10.0.0.1', 'fe80::1%eth0', '[::1]', '1::2::3', ':'.repeat(50)])
    assert.equal(parseIpv6(text), undefined, text);
});

test('an address of one link, of a group and of this host is not global', () => {
  for (const text of ['fe80::1', 'febf::1']) assert.ok(isLinkLocal(number(text)), text);
  for (const text of ['fe7f::1', 'fec0::1', '2001:db8::1']) assert.ok(!isLinkLocal(number(text)), text);
  for (const text of ['::', '::1', 'fe80::1', 'ff02::1']) assert.ok(!isGlobalUnicast(number(text)), text);
  for (const text of ['2001:db8::1', 'fd00::1']) assert.ok(isGlobalUnicast(number(text)), text);
});

test('the MAC address is read from an identifier of the form EUI-64 only', () => {
  assert.equal(macInEui64(number('fe80::5054:ff:fe12:3456')), '52:54:00:12:34:56');
  assert.equal(macInEui64(number('fe80::1')), undefined);
});

test('addresses of both families are read and written', () => {
  assert.equal(parseIp('10.0.0.1'), 0x0a_00_00_01);
  assert.equal(parseIp('::1'), 1n);
  assert.deepEqual([ipText(0x0a_00_00_01), ipText(1n)], ['10.0.0.1', '::1']);
});

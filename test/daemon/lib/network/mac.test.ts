// Which texts are MAC addresses, and their canonical form.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseMac, parseStationMac } from '../../../../daemon/lib/network/mac.ts';

test('six octets with colons are a MAC address and are lower-cased', () => {
  assert.equal(parseMac('52:54:00:Ab:CD:ef'), '52:54:00:ab:cd:ef');
});

test('no other spelling is a MAC address', () => {
  const wrong = [
    '',
    '52-54-00-12-34-56',
    '525400123456',
    '5254.0012.3456',
    '52:54:00:12:34',
    '52:54:00:12:34:56:78',
    '52:54:00:12:34:5g',
    '2:54:0:12:34:56',
    ' 52:54:00:12:34:56',
    '52:54:00:12:34:56\n',
  ];
  for (const text of wrong) assert.equal(parseMac(text), undefined, JSON.stringify(text));
});

test('zero, broadcast and multicast addresses are not station addresses', () => {
  assert.equal(parseStationMac('52:54:00:Ab:CD:ef'), '52:54:00:ab:cd:ef');
  assert.equal(parseStationMac('00:00:00:00:00:01'), '00:00:00:00:00:01');
  for (const text of [
    '00:00:00:00:00:00',
    'ff:ff:ff:ff:ff:ff',
    '01:00:5e:00:00:01',
    '33:33:00:00:00:01',
    'none',
  ])
    assert.equal(parseStationMac(text), undefined, text);
});

test('every MAC in upper case parses to its canonical form', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 6, maxLength: 6 }), (octets) => {
      const mac = Buffer.from(octets)
        .toString('hex')
        .replace(/..(?=.)/g, '$&:');
      assert.equal(parseMac(mac.toUpperCase()), mac);
    }),
  );
});

test('any text parses to a canonical MAC or undefined', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const mac = parseMac(text);
      assert.ok(mac === undefined || /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/.test(mac));
    }),
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { leasedAddresses } from '../../../../daemon/boot/dnsmasq/dnsmasq-leases.ts';

const [A, B] = ['52:54:00:00:00:0a', '52:54:00:00:00:0b'] as const;

test('leased addresses are read, and unrelated or malformed lines are skipped', () => {
  const text = `1795000000 ${A} 10.99.0.109 n1 01:${A}

0 ${B.toUpperCase()} 10.99.0.110 * *
1795000000 06-52:54:00:00:00:0c 10.99.0.111 * *
1795000000 52:54:00:00:00:0d
soon 52:54:00:00:00:0e 10.99.0.112 * *
1795000000 52:54:00:00:00:0f 10.99.0.999 * *
duid 00:01:00:01:32:94:ff:51:ea:6e:1c:aa:ec:79
1795000000 10 fd00::149 n1 00:01:00:01:32:94:ff:55:52:54:00:00:00:0a`;
  assert.deepEqual(
    [...leasedAddresses(text)],
    [
      [A, '10.99.0.109'],
      [B, '10.99.0.110'],
    ],
  );
  assert.deepEqual([...leasedAddresses(text.replaceAll('\n', '\r\n'))], [...leasedAddresses(text)]);
  assert.equal(leasedAddresses('').size, 0);
});

test('an InfiniBand card, whose lease has no hardware address, is found by its client identifier', () => {
  const text = '1795000000 20- 10.99.0.120 * FF:00:0a\n1795000000 20- 10.99.0.121 * *\n';
  assert.deepEqual([...leasedAddresses(text)], [['ff:00:0a', '10.99.0.120']]);
});

test('the last lease of a MAC address counts', () => {
  const text = `1 ${A} 10.0.0.1 * *\n2 ${A} 10.0.0.2 * *\n`;
  assert.equal(leasedAddresses(text).get(A), '10.0.0.2');
});

test('a damaged lease file loses only the damaged lines', () => {
  const lease = `1795000000 ${A} 10.99.0.109 n1 *`;
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (before, after) => {
      const leases = leasedAddresses(`${before}\n${lease}\n${after.replaceAll(A, '')}`);
      assert.equal(leases.get(A), '10.99.0.109');
    }),
    { numRuns: 5000 },
  );
});

// Which addresses the daemon connects to when a client or a ramdisk gives the URL.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { addressRule, refusedHost } from '../../../../daemon/lib/network/address-rule.ts';

test('every address of this host is refused, unless its network is listed', () => {
  const own = Object.values(networkInterfaces()).flatMap((each = []) => each.map(({ address }) => address));
  for (const address of own) assert.notEqual(addressRule([])(address), undefined, address);
  assert.match(addressRule([], () => ['192.0.2.1'])('192.0.2.1') ?? '', /address of the daemon's own host/);
  assert.equal(addressRule([], () => ['192.0.2.1'])('192.0.2.2'), undefined);
  assert.equal(addressRule(['192.0.2.0/24'], () => ['192.0.2.1'])('192.0.2.1'), undefined);
});

test('refusedHost finds a refused address in unusual spellings too; an allowed address and a name pass', () => {
  const rule = addressRule([], () => []);
  for (const host of ['127.1', '0177.0.0.1', '[::ffff:7f00:1]', '[0:0:0:0:0:0:0:1]', '0'])
    assert.notEqual(refusedHost(`http://${host}`, rule), undefined, host);
  for (const host of ['192.0.2.1', '[2001:db8::1]', 'localhost'])
    assert.equal(refusedHost(`http://${host}`, rule), undefined, host);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advertisementFor } from '../../../daemon/boot/router-advertisements.ts';
import { readDhcp6Subnet } from '../../../daemon/config/dhcp-subnet.ts';

function bytesFor(text: string): string {
  const reading = readDhcp6Subnet(text);
  if (reading.kind === 'unreadable') assert.fail(reading.reason);
  return Buffer.from(advertisementFor(reading.value)).toString('hex');
}

const start = (flags: string) => `8600000000${flags}0000${'00'.repeat(8)}`;
const PREFIX = `03044080${'00000e10'.repeat(2)}0000000020010db8000000000000000000000000`;

test('an advertisement offers no router, and says that addresses or settings come from DHCPv6', () => {
  assert.equal(Buffer.from(advertisementFor(undefined)).toString('hex'), `86${'00'.repeat(15)}`);
  assert.equal(bytesFor('2001:db8::/64 range=2001:db8::5-2001:db8::9'), start('c0') + PREFIX);
  assert.equal(bytesFor('2001:db8::/64 interface=br0'), start('40') + PREFIX);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzDhcp6 } from './dhcp6.ts';

test('mutated DHCPv6 messages are answered or ignored, and nothing fails', async (t) => {
  const { answered, silent } = await fuzzDhcp6(t, 4000, 20_778);
  assert.ok(answered > 0 && silent > 0, `${answered} answered, ${silent} not`);
});

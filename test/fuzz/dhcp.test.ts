import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzDhcp } from './dhcp.ts';

test('mutated DHCP messages are answered or ignored, and nothing fails', async (t) => {
  const { answered, silent } = await fuzzDhcp(t, 4000, 20_778);
  assert.ok(answered > 0 && silent > 0, `${answered} answered, ${silent} not`);
});

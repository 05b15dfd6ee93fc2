import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAC, waitingNode } from './waiting-node.ts';

test('lookup, heartbeat and continue_inspection answer 403 with enable_ramdisk_endpoints = false', async (t) => {
  const { daemon, uuid } = await waitingNode(t, { ini: '[api]\nenable_ramdisk_endpoints = false\n' });
  const body = { inventory: { interfaces: [{ mac_address: MAC }] } };
  const answers = [
    await daemon.request('GET', `/v1/lookup?addresses=${MAC}`),
    await daemon.request('POST', `/v1/heartbeat/${uuid}`, { body: { callback_url: '', agent_token: 'x' } }),
    await daemon.request('POST', '/v1/continue_inspection', { body }),
  ];
  for (const { status, fault } of answers) {
    assert.equal(status, 403);
    assert.match(fault, /enable_ramdisk_endpoints/);
  }
});

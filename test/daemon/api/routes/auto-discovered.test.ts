import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

test('nodes are filtered by auto_discovered and show it, and clients cannot set it', async (t) => {
  const daemon = await startInProcess(t);
  const mine = await daemon.createNode({ name: 'mine' });
  const found = await daemon.createNode({ name: 'found' });
  daemon.services.db.nodes.update(found.uuid, { auto_discovered: true });
  const listed = async (query: string) =>
    (await daemon.request('GET', `/v1/nodes?${query}`)).body.nodes.map((node) => node['name']);
  assert.deepEqual(await listed('auto_discovered=true'), ['found']);
  assert.deepEqual(await listed('auto_discovered=no'), ['mine']);
  assert.deepEqual(await listed(''), ['mine', 'found']);
  assert.equal((await daemon.request('GET', '/v1/nodes?auto_discovered=perhaps')).status, 400);

  const { body: whole } = await daemon.request('GET', '/v1/nodes/found');
  assert.equal(whole['auto_discovered'], true);
  const { body: short } = await daemon.request('GET', '/v1/nodes');
  assert.equal('auto_discovered' in (short.nodes[0] ?? {}), false);
  const { body: chosen } = await daemon.request('GET', '/v1/nodes?fields=auto_discovered');
  assert.deepEqual(
    chosen.nodes.map((node) => node['auto_discovered']),
    [false, true],
  );

  const body = [{ op: 'replace', path: '/auto_discovered', value: true }];
  assert.equal((await daemon.request('PATCH', `/v1/nodes/${mine.uuid}`, { body })).status, 400);
  const post = { driver: 'fake-hardware', auto_discovered: true };
  assert.equal((await daemon.request('POST', '/v1/nodes', { body: post })).status, 400);
});

// Shards over HTTP.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { expectFault, expectReply } from '../../../fakes/clients/api-replies.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const session = await startInProcess({ after });

const newNode = (shard: string | null) =>
  expectReply(session.request('POST', '/v1/nodes', { body: { driver: 'fake-hardware', shard } }), 201);

test('shards are listed with their node counts, the largest first, and nodes without a shard under the name None', async () => {
  assert.deepEqual(await expectReply(session.request('GET', '/v1/shards'), 200), { shards: [] });
  for (const shard of ['s2', 's1', null, 's2']) await newNode(shard);
  assert.deepEqual(await expectReply(session.request('GET', '/v1/shards'), 200), {
    shards: [
      { name: 's2', count: 2 },
      { name: 's1', count: 1 },
      { name: 'None', count: 1 },
    ],
  });
});

test('shards can be listed since 1.82, but cannot be paged, shown one by one, or created', async () => {
  await expectFault(session.request('GET', '/v1/shards', { version: 81 }), 404);
  await expectReply(session.request('GET', '/v1/shards', { version: 82 }), 200);
  await expectFault(session.request('GET', '/v1/shards/s1'), 404);
  await expectFault(session.request('GET', '/v1/shards?limit=1'), 400);
  await expectFault(session.request('POST', '/v1/shards', { body: {} }), 405);
});

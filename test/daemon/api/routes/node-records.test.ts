import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordError, recordInfo } from '../../../../daemon/conductor/tasks/node-history.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

/** Creates a node and, five seconds later, records a long error and a short info event in its history. */
async function remembered(t: Parameters<typeof startInProcess>[0]) {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ name: 'n' });
  const node = daemon.node(uuid);
  await daemon.clock.advance(5000);
  recordError(daemon.services, node, { event: 'e'.repeat(300), eventType: 'verify' });
  recordInfo(daemon.services, node, { event: 'short', eventType: 'monitoring', user: 'me' });
  const { body } = await daemon.request('GET', '/v1/nodes/n/history');
  const [long, short] = body.history;
  assert.ok(long !== undefined && short !== undefined);
  return { daemon, uuid, long, short };
}

const BRIEF = ['uuid', 'created_at', 'severity', 'event', 'links'];

test('history is listed briefly, with long events truncated', async (t) => {
  const { uuid, long, short } = await remembered(t);
  assert.deepEqual(Object.keys(long), BRIEF);
  assert.equal(long['event'], `${'e'.repeat(251)}...`);
  assert.deepEqual([short['severity'], short['event']], ['INFO', 'short']);
  const href = `http://ironic.test/v1/nodes/${uuid}/history/${long.uuid}`;
  assert.deepEqual(long.links, [{ href, rel: 'self' }]);
});

test('detailed history shows more fields, and later versions add to them', async (t) => {
  const { daemon, uuid, long, short } = await remembered(t);
  const detail = [...BRIEF, 'event_type', 'conductor', 'user'];
  const latest = ['project', 'state', 'target_provision_state', 'duration_seconds'];
  for (const [version, more] of Object.entries({ 78: [], 112: [], 113: ['project'], 115: latest })) {
    for (const path of ['history?detail=true', 'history/detail', `history/${short.uuid}`]) {
      const { body } = await daemon.request('GET', `/v1/nodes/n/${path}`, { version: Number(version) });
      const record = path.includes('detail') ? body.history[1] : body;
      assert.deepEqual(
        Object.keys(record ?? {}).toSorted(),
        [...detail, ...more].toSorted(),
        `${path} 1.${version}`,
      );
    }
  }
  const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/history/${long.uuid}`);
  assert.equal(body['event'], 'e'.repeat(300));
  assert.deepEqual([body['state'], body['duration_seconds'], body['conductor']], ['enroll', 5, 'lab-host']);
});

test('history returns 404 before 1.78, for unknown nodes and for entries of other nodes', async (t) => {
  const daemon = await startInProcess(t);
  const [one, two] = [await daemon.createNode(), await daemon.createNode()];
  recordInfo(daemon.services, daemon.node(one.uuid), { event: 'x', eventType: 'y' });
  const { body } = await daemon.request('GET', `/v1/nodes/${one.uuid}/history`);
  const record = body.history[0]?.uuid;
  const status = async (path: string, version = 115) =>
    (await daemon.request('GET', `/v1/nodes/${path}`, { version })).status;
  assert.equal(await status(`${one.uuid}/history`, 77), 404);
  assert.equal(await status(`${one.uuid}/history/${record}`), 200);
  assert.equal(await status(`${two.uuid}/history/${record}`), 404);
  assert.equal(await status('nobody/history'), 404);
  assert.equal(await status(`${two.uuid}/history?marker=${record}`), 404);
  assert.equal(await status(`${two.uuid}/history?sort_key=user`), 200);
  assert.equal(await status(`${two.uuid}/history?sort_key=state`, 114), 406);
  assert.equal(await status(`${two.uuid}/history?foo=1`), 400);
});

test('GET inventory returns the stored inventory, and 404 without one or before 1.81', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const path = `/v1/nodes/${uuid}/inventory`;
  assert.equal((await daemon.request('GET', path)).status, 404);
  const stored = { inventory: '{"cpu":{"count":4}}', plugin_data: '{"a":[1]}' };
  daemon.services.db.inventory.put(uuid, '2026-01-01T00:00:00.000+00:00', stored);
  const { body } = await daemon.request('GET', path);
  assert.deepEqual(body, { inventory: { cpu: { count: 4 } }, plugin_data: { a: [1] } });
  assert.equal((await daemon.request('GET', path, { version: 80 })).status, 404);
});

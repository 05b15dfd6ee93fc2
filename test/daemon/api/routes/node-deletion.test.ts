import assert from 'node:assert/strict';
import { test } from 'node:test';
import { provisionStates } from '../../../../daemon/model/states/provision-states.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const OTHER = '11111111-2222-4333-8444-555555555555';

const sorted = (states: readonly string[]) => states.toSorted();

test('a node can be deleted in some states only, and in the others when it is in maintenance', async (t) => {
  const daemon = await startInProcess(t);
  const removable = [];
  for (const state of provisionStates) {
    const { uuid } = await daemon.createNode();
    daemon.services.db.nodes.update(uuid, { provision_state: state });
    const { status } = await daemon.request('DELETE', `/v1/nodes/${uuid}`);
    if (status === 204) removable.push(state);
    else {
      assert.equal(status, 409, state);
      daemon.services.db.nodes.update(uuid, { maintenance: true });
      assert.equal((await daemon.request('DELETE', `/v1/nodes/${uuid}`)).status, 204, state);
    }
  }
  assert.deepEqual(sorted(removable), ['adopt failed', 'available', 'enroll', 'manageable']);
});

test('a protected node cannot be deleted, and one with an instance only in maintenance', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ instance_uuid: OTHER });
  const remove = async () => (await daemon.request('DELETE', `/v1/nodes/${uuid}`)).status;
  assert.equal(await remove(), 409);
  daemon.services.db.nodes.update(uuid, { protected: true, maintenance: true });
  assert.equal(await remove(), 403);
  daemon.services.db.nodes.update(uuid, { protected: false });
  assert.equal(await remove(), 204);
  assert.equal(await remove(), 404);
});

test('allow_deleting_available_nodes = false keeps available nodes', async (t) => {
  const daemon = await startInProcess(t, { ini: '[conductor]\nallow_deleting_available_nodes = false\n' });
  const { uuid } = await daemon.createNode();
  daemon.services.db.nodes.update(uuid, { provision_state: 'available' });
  assert.equal((await daemon.request('DELETE', `/v1/nodes/${uuid}`)).status, 409);
});

test('deleting a node deletes its ports and inventory', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const port = await daemon.createPort(uuid, '52:54:00:00:00:01');
  const { db } = daemon.services;
  db.inventory.put(uuid, '2026-01-01T00:00:00.000+00:00', { inventory: '{}', plugin_data: '{}' });
  await daemon.request('DELETE', `/v1/nodes/${uuid}`);
  assert.deepEqual([db.ports.get(port.uuid), db.inventory.get(uuid)], [undefined, undefined]);
});

test('deleting a node keeps its children and clears their parent_node', async (t) => {
  const daemon = await startInProcess(t);
  const parent = await daemon.createNode({ name: 'parent' });
  const child = await daemon.createNode({ parent_node: 'parent' });
  const other = await daemon.createNode({ name: 'other' });
  const cousin = await daemon.createNode({ parent_node: 'other' });
  assert.equal((await daemon.request('DELETE', `/v1/nodes/${parent.uuid}`)).status, 204);
  assert.equal(daemon.node(child.uuid).parent_node, null);
  assert.equal(daemon.node(cousin.uuid).parent_node, other.uuid);
  const { body } = await daemon.request('GET', '/v1/nodes');
  assert.deepEqual(
    body.nodes.map(({ uuid }) => uuid),
    [child.uuid, other.uuid],
  );
});

test('a node may be named in the query or in a JSON body of DELETE /v1/nodes', async (t) => {
  const daemon = await startInProcess(t);
  const remove = (path: string, body?: object) =>
    daemon.request('DELETE', path, body === undefined ? {} : { body });
  const named = await daemon.createNode({ name: 'rack1-01' });
  const other = await daemon.createNode();
  for (const [path, body, status] of [
    ['/v1/nodes', undefined, 400],
    ['/v1/nodes', {}, 400],
    ['/v1/nodes?node_ident=none', undefined, 404],
    ['/v1/nodes?node_ident=rack1-01&more=1', undefined, 400],
    ['/v1/nodes?node_ident=rack1-01', undefined, 204],
    ['/v1/nodes', { node_ident: other.uuid }, 204],
  ] as const)
    assert.equal((await remove(path, body)).status, status, path);
  for (const { uuid } of [named, other])
    assert.equal((await daemon.request('GET', `/v1/nodes/${uuid}`)).status, 404);
});

import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { startAbleSession, uuidOf } from '../../../fakes/daemon/able-session.ts';
import { refused } from '../../../fakes/clients/api-replies.ts';

const api = await startAbleSession({ after });

const list = async (node: string) => (await api.request('GET', `${node}/vifs`)).body;
const attach = (node: string, body: unknown, version = 115) =>
  api.request('POST', `${node}/vifs`, { body, version });
const detach = (node: string, id: string) => api.request('DELETE', `${node}/vifs/${id}`);

test('a VIF is attached with all its fields, listed with its id only, and detached', async () => {
  const node = await api.createNode('able-hardware');
  assert.equal((await attach(node, { id: 'lan', port_uuid: 'p', more: { x: 1 } })).status, 204);
  assert.deepEqual((await api.settled(node)).driver_internal_info['vifs'], [
    { id: 'lan', port_uuid: 'p', more: { x: 1 } },
  ]);
  assert.deepEqual(await list(node), { vifs: [{ id: 'lan' }] });
  refused(await attach(node, { id: 'lan' }), 409);
  assert.equal((await detach(node, 'lan')).status, 204);
  refused(await detach(node, 'lan'), 400);
  assert.deepEqual(await list(node), { vifs: [] });
});

test('a node without network management accepts every VIF and lists none', async () => {
  const node = await api.createNode('fake-hardware');
  for (const _ of [1, 2]) assert.equal((await attach(node, { id: 'lan' })).status, 204);
  assert.deepEqual(await list(node), { vifs: [] });
  assert.equal((await detach(node, 'other')).status, 204);
});

test('the id of a VIF must be a UUID or a logical name', async () => {
  const node = await api.createNode('able-hardware');
  assert.match(refused(await attach(node, {}), 400), /Missing mandatory parameter: id/);
  for (const id of [null, 7, '', 'a b', 'x'.repeat(256)]) refused(await attach(node, { id }), 400);
  refused(await attach(node, ['lan']), 400);
  refused(await detach(node, 'a%20b'), 400);
});

test('a VIF that names both a port and a portgroup is accepted before 1.67 only', async () => {
  const node = await api.createNode('fake-hardware');
  const both = { id: 'lan', port_uuid: 'a', portgroup_uuid: 'b' };
  refused(await attach(node, both), 400);
  assert.equal((await attach(node, both, 66)).status, 204);
});

test('attaching and detaching need the lock of the node, but listing does not', async () => {
  const node = await api.createNode('able-hardware');
  const release = api.services.locks.tryAcquire(uuidOf(node));
  assert.deepEqual(await list(node), { vifs: [] });
  refused(await attach(node, { id: 'lan' }), 409);
  refused(await detach(node, 'lan'), 409);
  release?.();
});

test('vifs returns 404 before 1.28, and GET of one VIF returns 405', async () => {
  const node = await api.createNode('able-hardware');
  for (const [method, path] of [
    ['GET', 'vifs'],
    ['POST', 'vifs'],
    ['DELETE', 'vifs/lan'],
  ] as const)
    refused(await api.request(method, `${node}/${path}`, { version: 27 }), 404);
  refused(await api.request('GET', `${node}/vifs/lan`), 405);
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Node, NodeChanges } from '../../../../daemon/model/records/node.ts';
import { allocationOf, allocationRequests } from './allocation-requests.ts';

const { get, post, patch, remove, allocated, addNode, storedNode, changeNode, lock } =
  await allocationRequests();

test('DELETE of an allocation frees its node', async () => {
  const node = addNode({ instance_info: { image_source: 'x' } });
  await allocated({ name: 'a' });
  assert.equal((await remove('allocations/a')).status, 204);
  assert.equal((await get('allocations/a')).status, 404);
  const freed = storedNode(node.uuid);
  assert.deepEqual([freed?.instance_uuid, freed?.allocation_uuid], [null, null]);
});

test('an allocation without a node can be deleted', async () => {
  await allocated({ name: 'a' });
  assert.equal((await remove('allocations/a')).status, 204);
  assert.equal((await remove('allocations/a')).status, 404);
});

const held: readonly (readonly [string, NodeChanges])[] = [
  ['is active', { provision_state: 'active' }],
  ['is in a transition', { provision_state: 'deploying', target_provision_state: 'active' }],
];
for (const [what, changes] of held) {
  test(`DELETE of an allocation returns 409 while its node ${what}, unless the node is in maintenance`, async () => {
    const node = addNode();
    await allocated({ name: 'a' });
    changeNode(node.uuid, changes);
    assert.equal((await remove('allocations/a')).status, 409);
    assert.equal((await remove(`nodes/${node.uuid}/allocation`)).status, 409);
    assert.notEqual(storedNode(node.uuid)?.instance_uuid, null);
    changeNode(node.uuid, { maintenance: true });
    assert.equal((await remove('allocations/a')).status, 204);
    assert.equal(storedNode(node.uuid)?.instance_uuid, null);
  });
}

test('DELETE of an allocation succeeds when the deployment of its node failed', async () => {
  const node = addNode();
  await allocated({ name: 'a' });
  const failed = { provision_state: 'deploy failed', target_provision_state: 'active' } as const;
  changeNode(node.uuid, failed);
  assert.equal((await remove('allocations/a')).status, 204);
});

test('DELETE of an allocation needs the lock of its node, but PATCH does not', async () => {
  const { uuid: node } = addNode();
  await allocated({ name: 'a' });
  const release = lock(node);
  assert.equal((await remove('allocations/a')).status, 409);
  assert.equal((await patch('allocations/a', [{ op: 'add', path: '/extra/x', value: 1 }])).status, 200);
  release?.();
  assert.equal((await remove('allocations/a')).status, 204);
});

test('the allocation of a node is shown and deleted at /v1/nodes/{node}/allocation', async () => {
  addNode({ name: 'n1' });
  const allocation = await allocated({});
  assert.deepEqual((await get('nodes/n1/allocation')).body, allocation);
  const { body } = await get('nodes/n1/allocation?fields=uuid');
  assert.deepEqual(Object.keys(body as object), ['uuid', 'links']);
  assert.equal((await get('nodes/n1/allocation?fields=x')).status, 400);
  assert.equal((await get('nodes/n1/allocation', 51)).status, 404);
  assert.equal((await remove('nodes/n1/allocation', 51)).status, 404);
  assert.equal((await remove('nodes/n1/allocation')).status, 204);
  assert.equal((await get(`allocations/${allocation.uuid}`)).status, 404);
});

test('/v1/nodes/{node}/allocation returns 404 for a node without an allocation and for an unknown node', async () => {
  addNode({ name: 'n1' });
  assert.equal((await get('nodes/n1/allocation')).status, 404);
  assert.equal((await remove('nodes/n1/allocation')).status, 404);
  assert.equal((await get('nodes/nobody/allocation')).status, 404);
});

const uuid = '0d6b4ac5-8e10-4a6c-a3b5-6d2d1b5c9a00';
const forget = [{ op: 'remove', path: '/instance_uuid' }];

test('PATCH that removes the instance of a node deletes its allocation', async () => {
  const { uuid: node } = addNode();
  const allocation = await allocated({});
  const { status, json } = await patch(`nodes/${node}`, forget);
  assert.equal(status, 200);
  const { instance_uuid, allocation_uuid } = json as Node;
  assert.deepEqual([instance_uuid, allocation_uuid], [null, null]);
  assert.equal((await get(`allocations/${allocation.uuid}`)).status, 404);
});

test('PATCH removes an allocated instance of an active node only in maintenance', async () => {
  const { uuid: node } = addNode();
  const allocation = await allocated({});
  changeNode(node, { provision_state: 'active' });
  assert.equal((await patch(`nodes/${node}`, forget)).status, 409);
  assert.equal((await get(`allocations/${allocation.uuid}`)).status, 200);
  changeNode(node, { maintenance: true });
  assert.equal((await patch(`nodes/${node}`, forget)).status, 200);
  assert.equal((await get(`allocations/${allocation.uuid}`)).status, 404);
});

test('PATCH removes an instance without an allocation from an active node', async () => {
  const { uuid: node } = addNode({ instance_uuid: randomUUID(), provision_state: 'active' });
  assert.equal((await patch(`nodes/${node}`, forget)).status, 200);
});

test('deleting a node deletes its allocation', async () => {
  const { uuid: node } = addNode();
  const allocation = await allocated({});
  changeNode(node, { maintenance: true });
  assert.equal((await remove(`nodes/${node}`)).status, 204);
  assert.equal((await get(`allocations/${allocation.uuid}`)).status, 404);
});

test('since 1.58 an allocation of a node in use is active at once and has the UUID of the instance', async () => {
  const node = addNode({ name: 'n1', provision_state: 'active', instance_uuid: uuid });
  assert.equal((await post({ node: 'n1' }, 57)).status, 400);
  const answer = await post({ node: 'n1', name: 'web-1' }, 58);
  assert.equal(answer.status, 201);
  const { uuid: given, state, node_uuid, resource_class } = allocationOf(answer);
  assert.deepEqual([given, state, node_uuid, resource_class], [uuid, 'active', node.uuid, 'gold']);
  assert.equal('node' in allocationOf(answer), false);
  assert.equal(storedNode(node.uuid)?.allocation_uuid, uuid);
});

test('a node in use without an instance_uuid gets the UUID of the allocation', async () => {
  const node = addNode({ provision_state: 'active' });
  const { uuid: given } = allocationOf(await post({ node: node.uuid, resource_class: 'gold' }));
  assert.equal(storedNode(node.uuid)?.instance_uuid, given);
});

const misfits: readonly (readonly [string, NodeChanges, object, number])[] = [
  ['that is not active', { provision_state: 'available' }, {}, 500],
  ['of another resource class', {}, { resource_class: 'silver' }, 500],
  ['without a wanted trait', {}, { traits: ['CUSTOM_A'] }, 500],
  ['with another instance', { instance_uuid: randomUUID() }, { uuid }, 409],
];
for (const [what, changes, body, expected] of misfits) {
  test(`an allocation of a chosen node ${what} ends in state error with the reason`, async () => {
    const node = addNode({ provision_state: 'active', ...changes });
    assert.equal((await post({ node: node.uuid, name: 'web-1', ...body })).status, expected);
    const { state, last_error, node_uuid } = allocationOf(await get('allocations/web-1'));
    assert.deepEqual([state, node_uuid], ['error', null]);
    assert.match(last_error ?? '', new RegExp(node.uuid));
    assert.equal(storedNode(node.uuid)?.allocation_uuid, null);
  });
}

test('allocating a locked node in use returns 409 and ends in state error', async () => {
  const { uuid: node } = addNode({ provision_state: 'active' });
  const release = lock(node);
  assert.equal((await post({ node, name: 'web-1' })).status, 409);
  assert.equal(allocationOf(await get('allocations/web-1')).state, 'error');
  release?.();
});

test('a node in use is not allocated twice', async () => {
  const { uuid: node } = addNode({ provision_state: 'active' });
  const first = allocationOf(await post({ node }));
  assert.equal((await post({ node })).status, 409);
  assert.equal((await post({ node, uuid: randomUUID() })).status, 409);
  assert.equal(storedNode(node)?.allocation_uuid, first.uuid);
});

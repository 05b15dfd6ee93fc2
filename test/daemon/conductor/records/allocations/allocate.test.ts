import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allocate } from '../../../../../daemon/conductor/records/allocations/allocate.ts';
import {
  allocationKind,
  createAllocation,
  deleteAllocation,
} from '../../../../../daemon/conductor/records/allocations/allocation-records.ts';
import { createNode } from '../../../../../daemon/conductor/records/node-records.ts';
import { createSimpleRecord } from '../../../../../daemon/conductor/records/simple-records.ts';
import type { Services } from '../../../../../daemon/conductor/services.ts';
import type { NodeChanges } from '../../../../../daemon/model/records/node.ts';
import { fakeClock, settled } from '../../../../fakes/clock.ts';
import { startInProcess } from '../../../../fakes/daemon/in-process-daemon.ts';
import { startListening } from '../../../../fakes/daemon/listening-daemon.ts';

const addNode = (services: Services, given: NodeChanges = {}) =>
  createNode(services, {
    driver: 'fake-hardware',
    provision_state: 'available',
    power_state: 'power off',
    resource_class: 'gold',
    ...given,
  });

const wanted = { resource_class: 'gold' };
const caller = { requestId: 'req-1', user: null, role: 'admin', address: null } as const;
const stored = (services: Services, uuid: string) => services.db.allocations.get(uuid);

test('an allocation stores its UUID in allocation_uuid and instance_uuid of its node, its traits in instance_info', async (t) => {
  const { services } = await startInProcess(t);
  const { uuid } = addNode(services, { traits: ['CUSTOM_A'], instance_info: { image_source: 'x' } });
  const allocation = createAllocation(services, { ...wanted, traits: ['CUSTOM_A'] });
  assert.equal(allocation.state, 'allocating');
  await settled();
  const { state, node_uuid, last_error, updated_at } = stored(services, allocation.uuid) ?? {};
  assert.deepEqual([state, node_uuid, last_error], ['active', uuid, null]);
  assert.notEqual(updated_at, null);
  const node = services.db.nodes.get(uuid);
  assert.equal(node?.instance_uuid, allocation.uuid);
  assert.equal(node?.allocation_uuid, allocation.uuid);
  assert.deepEqual(node?.instance_info, { image_source: 'x', traits: ['CUSTOM_A'] });
  assert.equal(services.locks.holderOf(uuid), null);
});

test('an allocation skips a locked node and takes a free one', async (t) => {
  const { services } = await startInProcess(t);
  const locked = addNode(services, { name: 'first' });
  const free = addNode(services);
  const release = services.locks.tryAcquire(locked.uuid);
  const { uuid } = createAllocation(services, { ...wanted, name: 'first' });
  await settled();
  assert.equal(stored(services, uuid)?.node_uuid, free.uuid);
  release?.();
});

test('an allocation retries when all nodes are locked', async (t) => {
  const { services, clock } = await startInProcess(t);
  const { uuid: node } = addNode(services);
  const release = services.locks.tryAcquire(node);
  const { uuid } = createAllocation(services, wanted);
  await clock.advance(1000);
  assert.equal(stored(services, uuid)?.state, 'allocating');
  release?.();
  await clock.advance(1000);
  assert.equal(stored(services, uuid)?.state, 'active');
});

test('an allocation fails if its nodes stay locked for all retries', async (t) => {
  const { services, clock } = await startInProcess(t);
  const release = services.locks.tryAcquire(addNode(services).uuid);
  const { uuid } = createAllocation(services, wanted);
  await clock.advance(2000);
  const { state, last_error } = stored(services, uuid) ?? {};
  assert.equal(state, 'error');
  assert.equal(
    last_error,
    `Failed to process allocation ${uuid}: the suitable nodes (1 at the last try) were locked at each of 3 tries ([conductor] node_locked_retry_attempts).`,
  );
  release?.();
});

test('a deleted allocation takes no node after the lock is released', async (t) => {
  const { services, clock } = await startInProcess(t);
  const { uuid: node } = addNode(services);
  const release = services.locks.tryAcquire(node);
  const allocation = createAllocation(services, wanted);
  await deleteAllocation({ services, caller }, allocation);
  release?.();
  await clock.advance(2000);
  assert.equal(services.db.nodes.get(node)?.instance_uuid, null);
  assert.equal(stored(services, allocation.uuid), undefined);
});

test('the second of two concurrent deletions of an allocation reports AllocationNotFound', async (t) => {
  const { services } = await startInProcess(t);
  const { uuid: node } = addNode(services);
  const { uuid } = createAllocation(services, wanted);
  await settled();
  const allocation = stored(services, uuid);
  assert.ok(allocation);
  const release = services.locks.tryAcquire(node);
  const first = deleteAllocation({ services, caller }, allocation);
  const second = deleteAllocation({ services, caller }, allocation);
  release?.();
  await first;
  await assert.rejects(second, { code: 'AllocationNotFound' });
});

test('an allocation chooses randomly among equal nodes', async (t) => {
  const { services } = await startInProcess(t);
  const nodes = [addNode(services), addNode(services), addNode(services)];
  const { uuid } = createSimpleRecord(services, allocationKind, wanted);
  const ranks = [0.5, 0.9, 0.1];
  await allocate(services, uuid, () => ranks.shift() ?? 0);
  assert.equal(stored(services, uuid)?.node_uuid, nodes[2]?.uuid);
});

test('an allocation without a matching node fails with the reason', async (t) => {
  const { services } = await startInProcess(t);
  addNode(services);
  const { uuid } = createAllocation(services, { resource_class: 'silver' });
  await settled();
  const { state, last_error } = stored(services, uuid) ?? {};
  assert.equal(state, 'error');
  assert.match(String(last_error), /no available nodes match the resource class silver/);
});

test('an allocation whose instance UUID is in use fails and takes no node', async (t) => {
  const { services } = await startInProcess(t);
  const instance = 'aaaaaaaa-0000-4000-8000-000000000001';
  addNode(services, { instance_uuid: instance, provision_state: 'active' });
  const { uuid: free } = addNode(services);
  createAllocation(services, { ...wanted, uuid: instance });
  await settled();
  const { state, last_error } = stored(services, instance) ?? {};
  assert.equal(state, 'error');
  assert.match(String(last_error), /already associated/);
  assert.equal(services.db.nodes.get(free)?.allocation_uuid, null);
});

test('a full worker pool rejects an allocation, and nothing is stored', async (t) => {
  const { services } = await startInProcess(t, { ini: '[conductor]\nworkers_pool_size = 3\n' });
  const leave = [1, 2, 3].map(() => services.workers.enter('request'));
  assert.throws(() => createAllocation(services, { ...wanted, name: 'a' }), { code: 'NoFreeWorker' });
  assert.equal(services.db.allocations.findBy('name', 'a'), undefined);
  for (const free of leave) free();
});

test('a rejected allocation releases its worker', async (t) => {
  const { services } = await startInProcess(t, { ini: '[conductor]\nworkers_pool_size = 3\n' });
  const twice = { ...wanted, name: 'a' };
  createAllocation(services, twice);
  await settled();
  for (let count = 1; count <= 4; count += 1) {
    assert.throws(() => createAllocation(services, twice), { code: 'DuplicateName' });
  }
});

test('the next start resumes allocations that a stop interrupted', async (t) => {
  const clock = fakeClock();
  const environment = { IRONIC_CONDUCTOR__GRACEFUL_SHUTDOWN_TIMEOUT: '1' };
  const first = await startListening(t, { environment, clock });
  const release = first.services.locks.tryAcquire(addNode(first.services).uuid);
  addNode(first.services, { name: 'later', maintenance: true });
  const { uuid } = createAllocation(first.services, wanted);
  const other = createSimpleRecord(first.services, allocationKind, wanted);
  await settled();
  const stopped = first.stop();
  // the stop has ended the retries, so nothing takes the node in this second
  await clock.advance(1000);
  await stopped;
  release?.();
  const second = await startInProcess(t, { stateDirectory: first.stateDirectory, loops: true });
  await settled();
  assert.equal(stored(second.services, uuid)?.state, 'active');
  assert.equal(stored(second.services, other.uuid)?.state, 'error');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeChanges } from '../../../../daemon/model/records/node.ts';
import { provisionStates } from '../../../../daemon/model/states/provision-states.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { patchNode } from './patch-node.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const OTHER = '11111111-2222-4333-8444-555555555555';

/** Patches a node in each provision state. Returns a function that lists the states in which the answer had a given status. */
async function statusByState(body: unknown, stored: NodeChanges, t: Parameters<typeof startInProcess>[0]) {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const reached: Record<string, number> = {};
  for (const state of provisionStates) {
    const stable = ['enroll', 'manageable', 'available', 'active', 'error', 'rescue'].includes(state);
    const target = stable ? null : 'manageable';
    daemon.services.db.nodes.update(uuid, {
      protected: false,
      retired: false,
      power_interface: 'fake',
      inspect_interface: 'fake',
      resource_class: 'a',
      extra: {},
      maintenance: false,
      ...stored,
      provision_state: state,
      target_provision_state: target,
    });
    reached[state] = (await patchNode(daemon, uuid, body)).status;
  }
  return (status: number) => Object.keys(reached).filter((state) => reached[state] === status);
}

const UPDATABLE_AT_WORK = [
  'verifying',
  'clean failed',
  'inspect wait',
  'inspect failed',
  'adopt failed',
  'deploy failed',
  'rescue failed',
  'unrescue failed',
  'service hold',
  'service failed',
];
const STABLE = ['enroll', 'manageable', 'available', 'active', 'error', 'rescue'];
const sorted = (states: readonly string[]) => states.toSorted();

test('a node with a target_provision_state can be changed in some states only', async (t) => {
  const body = [{ op: 'add', path: '/extra/a', value: 1 }];
  const states = await statusByState(body, {}, t);
  assert.deepEqual(sorted(states(200)), sorted([...STABLE, ...UPDATABLE_AT_WORK]));
  assert.deepEqual(sorted([...states(200), ...states(409)]), sorted(provisionStates));
});

test('interfaces can change in a few states, and in maintenance in all that allow changes', async (t) => {
  const body = [{ op: 'replace', path: '/inspect_interface', value: 'agent' }];
  const states = await statusByState(body, {}, t);
  assert.deepEqual(sorted(states(200)), sorted(['enroll', 'manageable', 'available', 'inspect wait']));
  const inMaintenance = await statusByState(body, { maintenance: true }, t);
  assert.deepEqual(sorted(inMaintenance(200)), sorted([...STABLE, ...UPDATABLE_AT_WORK]));
});

test('a resource_class that is set can change in some states only, even in maintenance', async (t) => {
  const body = [{ op: 'replace', path: '/resource_class', value: 'b' }];
  const states = await statusByState(body, { maintenance: true }, t);
  assert.deepEqual(sorted(states(200)), sorted(['enroll', 'manageable', 'available', 'inspect wait']));
  const unset = await statusByState(body, { resource_class: null }, t);
  assert.ok(unset(200).includes('active'));
});

test('a node can be protected only in the states active and rescue, and cannot be retired while it is available', async (t) => {
  const protect = await statusByState([{ op: 'add', path: '/protected', value: true }], {}, t);
  assert.deepEqual(sorted(protect(200)), ['active', 'rescue']);
  const retire = await statusByState([{ op: 'add', path: '/retired', value: true }], {}, t);
  assert.ok(!retire(200).includes('available') && retire(200).includes('active'));
});

test('a node in state inspecting can be changed before 1.39 only', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  daemon.services.db.nodes.update(uuid, {
    provision_state: 'inspecting',
    target_provision_state: 'manageable',
  });
  const body = [{ op: 'add', path: '/extra/a', value: 1 }];
  assert.equal((await patchNode(daemon, uuid, body, 39)).status, 409);
  assert.equal((await patchNode(daemon, uuid, body, 38)).status, 200);
});

test('in maintenance a deploying node can lose its instance_uuid, but not together with another change', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ instance_uuid: OTHER, maintenance: true });
  daemon.services.db.nodes.update(uuid, { provision_state: 'deploying', target_provision_state: 'active' });
  const detach = { op: 'remove', path: '/instance_uuid' };
  assert.equal((await patchNode(daemon, uuid, [detach, { op: 'remove', path: '/extra' }])).status, 200);
  daemon.services.db.nodes.update(uuid, { instance_uuid: OTHER });
  assert.equal(
    (await patchNode(daemon, uuid, [detach, { op: 'add', path: '/extra/a', value: 1 }])).status,
    409,
  );
  assert.equal((await patchNode(daemon, uuid, [detach])).status, 200);
});

test('instance_uuid cannot be replaced before it is removed', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ instance_uuid: OTHER });
  const assign = [{ op: 'replace', path: '/instance_uuid', value: UNKNOWN }];
  assert.equal((await patchNode(daemon, uuid, assign)).status, 409);
  assert.equal((await patchNode(daemon, uuid, [{ op: 'remove', path: '/instance_uuid' }])).status, 200);
  assert.equal((await patchNode(daemon, uuid, assign)).status, 200);
});

test('the driver cannot change with an enabled console or in state active', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ console_enabled: true });
  const body = [{ op: 'replace', path: '/driver', value: 'lab' }];
  const path = `/v1/nodes/${uuid}?reset_interfaces=true`;
  assert.equal((await daemon.request('PATCH', path, { body })).status, 409);
  daemon.services.db.nodes.update(uuid, { console_enabled: false, provision_state: 'active' });
  assert.equal((await daemon.request('PATCH', path, { body })).status, 409);
  assert.equal(daemon.node(uuid).driver, 'fake-hardware');
});

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { withTask } from '../../../daemon/conductor/tasks/run-task.ts';
import type { JsonObject, Task } from '../../../daemon/plugin-api/index.ts';
import { Leases } from '../../../daemon/plugin-host/contract/leases.ts';
import { settled } from '../../fakes/clock.ts';
import { rejectsFault } from '../../fakes/faults.ts';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

const properties = { acme_profile: { description: 'The profile that the driver has applied.' } };

/** A node, and a function that runs plugin code on it. */
async function setUp(t: TestContext, fields: Readonly<Record<string, unknown>> = {}) {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode(fields);
  const inPlugin = (work: (task: Task) => Promise<void>) =>
    withTask({ services: daemon.services, caller: null }, uuid, async (task) => {
      const lease = new Leases().lease(task.view, { plugin: 'acme', properties });
      try {
        await work(lease.task);
      } finally {
        lease.end();
      }
    });
  return { daemon, inPlugin, node: () => daemon.node(uuid) };
}

test('an interface may store the driver_info that its properties declare, and no other', async (t) => {
  const { inPlugin, node } = await setUp(t, { driver_info: { acme_address: 'a', acme_password: 'p' } });
  const store = (more: JsonObject) =>
    inPlugin((task) => task.update({ driver_info: { ...task.node.driver_info, ...more } }));
  await store({ acme_profile: '/rest/1' });
  assert.deepEqual(node().driver_info, { acme_address: 'a', acme_password: 'p', acme_profile: '/rest/1' });
  await assert.rejects(store({ acme_password: 'q' }), /cannot change driver_info\/acme_password/);
  await assert.rejects(
    inPlugin((task) => task.update({ driver_info: { acme_profile: 'x' } })),
    /cannot change driver_info\/acme_address/,
  );
  assert.equal(node().driver_info['acme_password'], 'p');
});

test('maintenance that an interface sets and clears is in the history', async (t) => {
  const { inPlugin, node, daemon } = await setUp(t);
  await inPlugin((task) => task.setMaintenance('the profile is used by somebody else'));
  assert.deepEqual(
    [node().maintenance, node().maintenance_reason],
    [true, 'the profile is used by somebody else'],
  );
  await inPlugin((task) => task.clearMaintenance());
  assert.deepEqual([node().maintenance, node().maintenance_reason, node().fault], [false, null, null]);
  const { text } = await daemon.request('GET', `/v1/nodes/${node().uuid}/history?detail=true`);
  assert.match(text, /Maintenance begins: the profile is used by somebody else/);
  assert.match(text, /Maintenance ends\./);
});

test('a verb that an interface asks for is refused as a verb of an operator would be', async (t) => {
  const { inPlugin, node } = await setUp(t);
  await rejectsFault(
    inPlugin((task) => task.requestProvision('provide')),
    'InvalidStateRequested',
    /"provide" can not be performed .* in state "enroll"/,
  );
  assert.equal(node().provision_state, 'enroll');
});

test('a verb that an interface asks for begins when the node is unlocked; a refusal at that time is in the history', async (t) => {
  const { inPlugin, node, daemon } = await setUp(t);
  await inPlugin(async (task) => {
    await task.requestProvision('manage');
    assert.equal(node().provision_state, 'enroll', 'the node is still locked');
  });
  await daemon.idle();
  assert.equal(node().provision_state, 'manageable');
  await inPlugin(async (task) => {
    await task.requestProvision('inspect');
    daemon.services.db.nodes.update(node().uuid, { provision_state: 'available' });
  });
  await daemon.idle();
  const { text } = await daemon.request('GET', `/v1/nodes/${node().uuid}/history?detail=true`);
  assert.match(text, /asked for inspect, which was refused: .*while it is in state .*available/);
});

test('provide with endsMaintenance ends the maintenance of the node, but not if no worker is free for the cleaning', async (t) => {
  const { inPlugin, node, daemon } = await setUp(t, { driver: 'fake-hardware', deploy_interface: 'fake' });
  const { db, workers } = daemon.services;
  const resting = { provision_state: 'manageable', maintenance: true, maintenance_reason: 'in use' } as const;
  db.nodes.update(node().uuid, resting);
  const provide = () => inPlugin((task) => task.requestProvision('provide', { endsMaintenance: true }));
  const places: (() => void)[] = [];
  try {
    for (;;) places.push(workers.enter('request'));
  } catch {
    await provide();
  }
  await settled();
  for (const leave of places) leave();
  assert.deepEqual([node().provision_state, node().maintenance_reason], ['manageable', 'in use']);
  await provide();
  await daemon.idle();
  assert.deepEqual([node().provision_state, node().maintenance], ['available', false]);
});

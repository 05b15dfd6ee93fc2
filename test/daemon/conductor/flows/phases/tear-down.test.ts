import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offer, steppingAgent } from '../../../../fakes/machines/stepping-agent.ts';
import { startStepping, step } from '../../../../fakes/machines/stepping-session.ts';

const inUse = {
  instance_uuid: '9c1b5c5e-6c1f-4d6e-8b6a-000000000001',
  instance_name: 'web-1',
  instance_info: { image_source: 'http://images.test/a.raw', traits: [] },
  driver_internal_info: {
    root_uuid_or_disk_id: '0x1',
    agent_url: 'http://gone',
    kept: 1,
  },
} as const;

test('undeploy removes the instance data from the node and starts cleaning', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('active', { driver_info: { tearDown: 2000 } });
  daemon.services.db.nodes.update(node, inUse);
  const answer = await daemon.verb(node, 'deleted');
  assert.equal(answer.status, 202, answer.text);
  assert.deepEqual(
    [daemon.node(node).provision_state, daemon.node(node).target_provision_state],
    ['deleting', 'available'],
  );
  await daemon.clock.advance(2000);
  assert.deepEqual(await daemon.state(node), ['clean wait', 'available']);
  assert.deepEqual(daemon.notes(node), ['tearDown', 'prepareCleaning']);
  const { instance_uuid, instance_name, instance_info, driver_internal_info } = daemon.node(node);
  assert.deepEqual([instance_uuid, instance_name, instance_info], [null, null, {}]);
  assert.deepEqual(Object.keys(driver_internal_info).toSorted(), ['kept', 'notes', 'ramdisk_prepared']);
});

test('undeploy deletes the allocation of the instance', async (t) => {
  const daemon = await startStepping(t, { ini: 'automated_clean = false\n' });
  const node = await daemon.stepping('available', { resource_class: 'big' });
  const { body } = await daemon.request('POST', '/v1/allocations', { body: { resource_class: 'big' } });
  await daemon.idle();
  assert.equal(daemon.node(node).instance_uuid, body.uuid);
  await daemon.verb(node, 'active');
  assert.deepEqual(await daemon.state(node), ['active', null]);
  await daemon.verb(node, 'deleted');
  assert.deepEqual(await daemon.state(node), ['available', null]);
  assert.equal((await daemon.request('GET', `/v1/allocations/${body.uuid}`)).status, 404);
  assert.equal(daemon.node(node).instance_uuid, null);
});

test('a failed undeploy sets the state error, from which undeploy and rebuild are possible', async (t) => {
  const daemon = await startStepping(t, { ini: 'automated_clean = false\n' });
  for (const verb of ['deleted', 'rebuild'] as const) {
    const driver_info = { tearDown: ['no route to the BMC', 'done'] };
    const node = await daemon.stepping('active', { driver_info });
    await daemon.verb(node, 'deleted');
    assert.deepEqual(await daemon.state(node), ['error', null]);
    assert.match(daemon.node(node).last_error ?? '', /Failed to tear the instance down: no route to the BMC/);
    assert.equal((await daemon.verb(node, verb)).status, 202);
    assert.deepEqual(await daemon.state(node), [verb === 'deleted' ? 'available' : 'active', null]);
    assert.equal(daemon.node(node).last_error, null);
  }
});

test('undeploying a retired node ends in manageable', async (t) => {
  const daemon = await startStepping(t, { ini: 'automated_clean = true\n' });
  const { uuid } = await daemon.createNode();
  daemon.services.db.nodes.update(uuid, { provision_state: 'active', retired: true });
  await daemon.verb(uuid, 'deleted');
  assert.deepEqual(await daemon.state(uuid), ['manageable', null]);
});

test('undeploy cleans up a rescue and cancels a waiting service', async (t) => {
  const daemon = await startStepping(t, { ini: 'automated_clean = false\n' });
  const rescued = await daemon.stepping('rescue');
  await daemon.verb(rescued, 'deleted');
  assert.deepEqual(await daemon.state(rescued), ['available', null]);
  assert.deepEqual(daemon.notes(rescued), ['cleanUpRescue', 'tearDown']);

  const serviced = await daemon.stepping('active');
  const agent = await steppingAgent(t, daemon, serviced);
  agent.steps.service = [offer('deploy.burn', 0)];
  await daemon.verb(serviced, 'service', { service_steps: [step('deploy.burn')] });
  await daemon.idle();
  await agent.boot();
  await agent.beat();
  assert.equal(daemon.node(serviced).service_step['step'], 'burn');
  await daemon.verb(serviced, 'deleted');
  assert.deepEqual(await daemon.state(serviced), ['available', null]);
  const { service_step, driver_internal_info } = daemon.node(serviced);
  assert.deepEqual(service_step, {});
  assert.deepEqual(Object.keys(driver_internal_info).toSorted(), [
    'agent_cached_service_steps',
    'agent_last_heartbeat',
    'agent_version',
    'notes',
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTask, withTask } from '../../../../daemon/conductor/tasks/run-task.ts';
import { statesOfClass } from '../../../../daemon/model/states/provision-states.ts';
import { settled } from '../../../fakes/clock.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { interruptedStates } from '../../../fakes/daemon/interrupted-states.ts';
import { otherWriter } from '../../../fakes/daemon/other-writer.ts';
import { startStepping, step } from '../../../fakes/machines/stepping-session.ts';

const caller = { requestId: 'req-1', user: null, role: 'admin', address: null } as const;
const UNWRITTEN = /the database could not be written: database is locked/;

test('work interrupted by a write failure keeps its node locked until the database is writable, and then fails', async (t) => {
  const daemon = await startInProcess(t);
  const { services, clock } = daemon;
  const other = otherWriter(t, daemon);
  assert.deepEqual(statesOfClass('transient').toSorted(), Object.keys(interruptedStates).toSorted());
  for (const state of statesOfClass('transient')) {
    const { uuid } = await daemon.createNode();
    await startTask({ services, caller }, uuid, (task) => {
      task.store({ provision_state: state });
      return async () => {
        other.begin();
        task.store({ extra: {} });
      };
    });
    await clock.advance(2000);
    assert.equal(daemon.node(uuid).provision_state, state);
    assert.doesNotMatch(daemon.log(), new RegExp(`"from":"${state}"`));
    assert.equal(services.locks.holderOf(uuid), 'lab-host');
    other.end();
    await clock.advance(2000);
    await daemon.idle();
    const node = daemon.node(uuid);
    assert.equal(node.provision_state, interruptedStates[state]);
    assert.match(node.last_error ?? '', UNWRITTEN);
    assert.equal(services.locks.holderOf(uuid), null);
    const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/history/detail`);
    assert.equal(body.history.at(-1)?.['event'], node.last_error);
  }
});

test('a power action with an unwritable outcome fails, and the next power action succeeds', async (t) => {
  const daemon = await startInProcess(t, { ini: '[fake]\npower_delay = 1\n' });
  const other = otherWriter(t, daemon);
  const { uuid } = await daemon.createNode();
  const power = (target: string) =>
    daemon.request('PUT', `/v1/nodes/${uuid}/states/power`, { body: { target } });
  assert.equal((await power('power on')).status, 202);
  other.begin();
  await daemon.clock.advance(2000);
  assert.equal(daemon.node(uuid).target_power_state, 'power on');
  assert.equal(daemon.services.locks.holderOf(uuid), 'lab-host');
  other.end();
  await daemon.clock.advance(2000);
  await daemon.idle();
  const { target_power_state, last_error } = daemon.node(uuid);
  assert.equal(target_power_state, null);
  assert.match(last_error ?? '', UNWRITTEN);
  assert.equal((await power('power on')).status, 202);
  await daemon.clock.advance(2000);
  await daemon.idle();
  assert.equal(daemon.node(uuid).power_state, 'power on');
});

test('a verification that a write failure interrupted can be restarted', async (t) => {
  const daemon = await startInProcess(t, { ini: '[fake]\npower_delay = 1\n' });
  const other = otherWriter(t, daemon);
  const { uuid } = await daemon.createNode();
  const manage = () =>
    daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target: 'manage' } });
  await manage();
  other.begin();
  await daemon.clock.advance(1000);
  other.end();
  await daemon.clock.advance(2000);
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'enroll');
  assert.match(daemon.node(uuid).last_error ?? '', UNWRITTEN);
  assert.equal((await manage()).status, 202);
  await daemon.clock.advance(2000);
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'manageable');
});

test('a power.wait step continues after a write failure', async (t) => {
  const daemon = await startStepping(t);
  const other = otherWriter(t, daemon);
  const node = await daemon.stepping('manageable');
  const steps = [{ ...step('power.wait'), args: { seconds: 10 } }];
  await daemon.verb(node, 'clean', { clean_steps: steps, disable_ramdisk: true });
  assert.equal((await daemon.state(node))[0], 'clean wait');
  other.begin();
  await daemon.clock.advance(10_000);
  assert.equal(daemon.node(node).provision_state, 'clean wait');
  other.end();
  await daemon.clock.advance(4000);
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
  assert.equal(daemon.services.locks.holderOf(node), null);
});

test('an allocation waits for the power action that determines the power state of its node', async (t) => {
  const daemon = await startInProcess(t, { ini: '[fake]\npower_delay = 10\n' });
  for (let round = 0; round < 20; round += 1) {
    const resource_class = `class-${round}`;
    const { uuid } = await daemon.createNode({ resource_class });
    daemon.services.db.nodes.update(uuid, { provision_state: 'available' });
    const power = await daemon.request('PUT', `/v1/nodes/${uuid}/states/power`, {
      body: { target: 'power on' },
    });
    assert.equal(power.status, 202);
    const posted = await daemon.request('POST', '/v1/allocations', { body: { resource_class } });
    await daemon.clock.advance(5000);
    const stored = () => daemon.services.db.allocations.get(posted.body.uuid);
    assert.equal(stored()?.state, 'allocating');
    await daemon.clock.advance(16_000);
    assert.deepEqual([stored()?.state, stored()?.node_uuid], ['active', uuid]);
  }
});

test('an allocation waits until the database is writable', async (t) => {
  const daemon = await startInProcess(t);
  const other = otherWriter(t, daemon);
  const { uuid } = await daemon.createNode({ resource_class: 'gold' });
  daemon.services.db.nodes.update(uuid, { provision_state: 'available', power_state: 'power off' });
  const body = { resource_class: 'gold' };
  const release = daemon.services.locks.tryAcquire(uuid);
  const allocation = (await daemon.request('POST', '/v1/allocations', { body })).body.uuid;
  other.begin();
  release?.();
  for (let second = 0; second < 5; second += 1) await daemon.clock.advance(1000);
  other.end();
  await daemon.clock.advance(1000);
  const { state, node_uuid } = daemon.services.db.allocations.get(allocation) ?? {};
  assert.deepEqual([state, node_uuid], ['active', uuid]);
});

test('an exception in a request clears the target_power_state of the node and unlocks the node', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const work = withTask({ services: daemon.services, caller }, uuid, (task) => {
    task.store({ target_power_state: 'power on' });
    throw new Error('a bug');
  });
  await assert.rejects(work, /a bug/);
  await settled();
  const { target_power_state, last_error } = daemon.node(uuid);
  assert.equal(target_power_state, null);
  assert.match(last_error ?? '', /unexpected failure: a bug/);
  assert.equal(daemon.services.locks.holderOf(uuid), null);
});

test('a stop does not wait for a locked database; the next start sets the interrupted node to clean failed', async (t) => {
  const daemon = await startInProcess(t);
  const other = otherWriter(t, daemon);
  const { uuid } = await daemon.createNode();
  await startTask({ services: daemon.services, caller }, uuid, (task) => {
    task.store({ provision_state: 'cleaning' });
    return async () => {
      other.begin();
      task.store({ extra: {} });
    };
  });
  await settled();
  daemon.services.workers.close();
  await daemon.services.workers.idle();
  assert.equal(daemon.node(uuid).provision_state, 'cleaning');
  other.end();
  await daemon.stop();
  const next = await startInProcess(t, { stateDirectory: daemon.stateDirectory });
  assert.equal(next.node(uuid).provision_state, 'clean failed');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recoverNodes } from '../../../../daemon/conductor/loops/recover.ts';
import { type ProvisionState, provisionStates } from '../../../../daemon/model/states/provision-states.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { interruptedStates } from '../../../fakes/daemon/interrupted-states.ts';

test('a restart fails interrupted work with a reason and changes no other state', async (t) => {
  const daemon = await startInProcess(t);
  const { nodes } = daemon.services.db;
  const uuids: Partial<Record<ProvisionState, string>> = {};
  for (const state of provisionStates) {
    const { uuid } = await daemon.createNode();
    nodes.update(uuid, { provision_state: state });
    uuids[state] = uuid;
  }
  assert.equal(recoverNodes(daemon.services), Object.keys(interruptedStates).length);
  for (const state of provisionStates) {
    const node = daemon.node(uuids[state] ?? '');
    assert.equal(node.provision_state, interruptedStates[state] ?? state, state);
    if (interruptedStates[state] === undefined) assert.equal(node.last_error, null, state);
    else
      assert.match(
        node.last_error ?? '',
        new RegExp(`interrupted in state "${state}": the service was restarted`),
      );
    assert.equal(node.maintenance, false);
  }
  assert.equal(recoverNodes(daemon.services), 0);
});

test('an interrupted flow keeps its target if the new state allows a target', async (t) => {
  const daemon = await startInProcess(t);
  const targets: readonly (readonly [ProvisionState, ProvisionState, ProvisionState | null])[] = [
    ['cleaning', 'manageable', 'manageable'],
    ['cleaning', 'available', 'available'],
    ['deploying', 'active', 'active'],
    ['verifying', 'manageable', null],
    ['deleting', 'available', null],
  ];
  for (const [state, target, kept] of targets) {
    const { uuid } = await daemon.createNode();
    daemon.services.db.nodes.update(uuid, { provision_state: state, target_provision_state: target });
    recoverNodes(daemon.services);
    assert.equal(daemon.node(uuid).target_provision_state, kept, state);
  }
});

test('after interrupted work nobody knows what its agent was doing, so the next work does not use it', async (t) => {
  const daemon = await startInProcess(t);
  for (const state of ['cleaning', 'deploying', 'inspecting', 'manageable'] as const) {
    const { uuid } = await daemon.createNode();
    const driver_internal_info = { agent_url: 'https://192.0.2.7:9999', agent_secret_token: 't'.repeat(43) };
    daemon.services.db.nodes.update(uuid, { provision_state: state, driver_internal_info });
    recoverNodes(daemon.services);
    const { agent_url: url, agent_secret_token: token } = daemon.node(uuid).driver_internal_info;
    assert.equal(url !== undefined && token !== undefined, state === 'manageable', state);
  }
});

test('an interrupted power action sets the power state to unknown and clears the target', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  daemon.services.db.nodes.update(uuid, { power_state: 'power off', target_power_state: 'power on' });
  assert.equal(recoverNodes(daemon.services), 1);
  const { power_state, target_power_state, last_error } = daemon.node(uuid);
  assert.deepEqual([power_state, target_power_state], [null, null]);
  assert.match(last_error ?? '', /target "power on".*aborted: the service was restarted/);
  const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/history/detail`);
  assert.equal(body.history[0]?.['event_type'], 'startup failure');
});

test('a new daemon fails the interrupted verification and finds no locks', async (t) => {
  const first = await startInProcess(t, { ini: '[fake]\npower_delay = 60\n' });
  const { uuid } = await first.createNode({ name: 'n' });
  await first.request('PUT', '/v1/nodes/n/states/provision', { body: { target: 'manage' } });
  assert.equal(first.node(uuid).provision_state, 'verifying');
  await first.stop();
  const second = await startInProcess(t, { stateDirectory: first.stateDirectory });
  const { provision_state, last_error } = second.node(uuid);
  assert.equal(provision_state, 'enroll');
  assert.notEqual(last_error, null);
  const answer = await second.request('PATCH', '/v1/nodes/n', {
    body: [{ op: 'add', path: '/extra/a', value: 1 }],
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.body['reservation'], null);
});

test('a machine whose inspection was interrupted by a restart is powered off, and the next request waits for that', async (t) => {
  const first = await startInProcess(t);
  const driver_info = { lab_power: 'power on', lab_seconds: 5 };
  const { uuid } = await first.createNode({ driver: 'lab', inspect_interface: 'agent', driver_info });
  first.services.db.nodes.update(uuid, {
    provision_state: 'inspecting',
    power_state: 'power on',
    driver_internal_info: { inspector_manage_boot: true },
  });
  await first.stop();
  const second = await startInProcess(t, { stateDirectory: first.stateDirectory });
  assert.equal(second.node(uuid).provision_state, 'inspect failed');
  const again = second.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target: 'manage' } });
  // the change of power begins some turns of the event loop later
  for (let seconds = 0; seconds < 10; seconds += 1) await second.clock.advance(1000);
  assert.equal((await again).status, 202);
  const { provision_state, power_state, driver_internal_info } = second.node(uuid);
  assert.deepEqual([provision_state, power_state], ['manageable', 'power off']);
  assert.equal(driver_internal_info['inspector_manage_boot'], undefined);
});

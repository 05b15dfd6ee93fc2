import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordInfo } from '../../../../daemon/conductor/tasks/node-history.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

test('power sync and power failure recovery run at their own intervals', async (t) => {
  const ini = '[conductor]\nsync_power_state_interval = 20\npower_failure_recovery_interval = 50\n';
  const daemon = await startInProcess(t, { ini, loops: true });
  const { uuid } = await daemon.createNode({ driver: 'lab', driver_info: { lab_power: 'power on' } });
  const failed = await daemon.createNode({ driver: 'lab', maintenance: true });
  daemon.services.db.nodes.update(uuid, { provision_state: 'active' });
  daemon.services.db.nodes.update(failed.uuid, { provision_state: 'active', fault: 'power failure' });
  await daemon.clock.advance(19_999);
  assert.equal(daemon.node(uuid).power_state, null);
  await daemon.clock.advance(1);
  assert.equal(daemon.node(uuid).power_state, 'power on');
  assert.equal(daemon.node(failed.uuid).maintenance, true);
  await daemon.clock.advance(30_000);
  assert.equal(daemon.node(failed.uuid).maintenance, false);
});

test('the history of each node keeps only its newest entries', async (t) => {
  const ini = '[conductor]\nnode_history_max_entries = 3\nnode_history_cleanup_interval = 10\n';
  const daemon = await startInProcess(t, { ini, loops: true });
  const nodes = [await daemon.createNode(), await daemon.createNode()];
  const events = async (at: number) => {
    const { body } = await daemon.request('GET', `/v1/nodes/${nodes[at]?.uuid}/history`);
    return body.history.map((record) => record['event']).join('');
  };
  for (let at = 0; at < 5; at += 1) {
    recordInfo(daemon.services, daemon.node(nodes[0]?.uuid ?? ''), { event: String(at), eventType: 'x' });
  }
  recordInfo(daemon.services, daemon.node(nodes[1]?.uuid ?? ''), { event: 'only', eventType: 'x' });
  assert.equal(await events(0), '01234');
  await daemon.clock.advance(10_000);
  assert.deepEqual([await events(0), await events(1)], ['234', 'only']);
});

test('a failed loop is logged and runs again at the next interval', async (t) => {
  const daemon = await startInProcess(t, {
    ini: '[conductor]\nnode_history_cleanup_interval = 10\n',
    loops: true,
  });
  const { history } = daemon.services.db;
  let calls = 0;
  t.mock.method(history, 'trim', () => {
    calls += 1;
    throw new Error('the disk is full');
  });
  await daemon.clock.advance(30_000);
  assert.equal(calls, 3);
  assert.match(daemon.log(), /the disk is full/);
});

test('node_history = false records no history but still sets last_error', async (t) => {
  const daemon = await startInProcess(t, { ini: '[conductor]\nnode_history = false\n' });
  const { uuid } = await daemon.createNode({ driver: 'lab', driver_info: { lab_power: 'silent' } });
  await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target: 'manage' } });
  await daemon.idle();
  assert.deepEqual((await daemon.request('GET', `/v1/nodes/${uuid}/history`)).body.history, []);
  assert.match(daemon.node(uuid).last_error ?? '', /no answer/);
});

test('log_in_db_max_size limits the length of last_error', async (t) => {
  const daemon = await startInProcess(t, { ini: 'log_in_db_max_size = 30\n'.replace(/^/, '[DEFAULT]\n') });
  const { uuid } = await daemon.createNode({ driver: 'lab', driver_info: { lab_power: 'silent' } });
  await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target: 'manage' } });
  await daemon.idle();
  assert.equal(daemon.node(uuid).last_error?.length, 30);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classOf, next, provisionStates } from '../../../../daemon/model/states/provision-states.ts';
import { provisionVerbs, verbOf, adviceFor } from '../../../../daemon/model/states/verbs.ts';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const steps = [{ interface: 'deploy', step: 'erase_devices' }];
/** Request fields that these verbs require. */
const needed: Readonly<Record<string, object>> = {
  clean: { clean_steps: steps },
  service: { service_steps: steps },
  rescue: { rescue_password: 'x' },
};
const put = (daemon: InProcessDaemon, node: string, target: string, version = 115) =>
  daemon.request('PUT', `/v1/nodes/${node}/states/provision`, {
    body: { target, ...needed[target] },
    version,
  });

test('a verb that is invalid in a provision state returns 400 and changes nothing', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  for (const state of provisionStates) {
    daemon.services.db.nodes.update(uuid, { provision_state: state, target_provision_state: null });
    for (const verb of provisionVerbs) {
      if (next(state, verbOf(verb).event) !== undefined) continue;
      const before = daemon.node(uuid);
      const answer = await put(daemon, uuid, verb);
      assert.equal(answer.status, 400, `${verb} in ${state}`);
      const refusal = `The requested action "${verb}" can not be performed on node "${uuid}" while it is in state "${state}".`;
      assert.equal(answer.fault, `${refusal}${adviceFor(state, verb)}`);
      assert.deepEqual(daemon.node(uuid), before);
    }
  }
});

test('an invalid provision request is rejected', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const bodies: readonly (readonly [object, number, number?])[] = [
    [{}, 400],
    [{ target: null }, 400],
    [{ target: 'fly' }, 400],
    [{ target: 'done' }, 400],
    [{ target: '__proto__' }, 400],
    [{ target: 'manage' }, 406, 3],
    [{ target: 'inspect' }, 406, 5],
    [{ target: 'abort' }, 406, 12],
    [{ target: 'manage', clean_steps: steps }, 400],
    [{ target: 'manage', rescue_password: 'x' }, 400],
    [{ target: 'manage', disable_ramdisk: true }, 400],
    [{ target: 'manage', clean_steps: 'x' }, 400],
    [{ target: 'manage', foo: 1 }, 400],
  ];
  for (const [body, status, version = 115] of bodies) {
    const path = `/v1/nodes/${uuid}/states/provision`;
    const answer = await daemon.request('PUT', path, { body, version });
    assert.equal(answer.status, status, `${JSON.stringify(body)} ${answer.text}`);
  }
  assert.equal(daemon.node(uuid).provision_state, 'enroll');
  assert.equal((await put(daemon, 'nobody', 'manage')).status, 404);
});

test('manage verifies an enrolled node and shows the state verifying immediately', async (t) => {
  const daemon = await startInProcess(t, { ini: '[fake]\npower_delay = 3\n' });
  const { uuid } = await daemon.createNode({ name: 'n' });
  daemon.services.db.nodes.update(uuid, { last_error: 'old' });
  const answer = await put(daemon, 'n', 'manage');
  assert.deepEqual([answer.status, answer.text], [202, '']);
  assert.equal(answer.headers.get('location'), 'http://ironic.test/v1/nodes/n/states');
  const { provision_state, target_provision_state, last_error, provision_updated_at } = daemon.node(uuid);
  assert.deepEqual(
    [provision_state, target_provision_state, last_error, provision_updated_at],
    ['verifying', 'manageable', null, '2026-01-01T00:00:00.000+00:00'],
  );
  await daemon.clock.advance(3000);
  await daemon.idle();
  const done = daemon.node(uuid);
  assert.deepEqual([done.provision_state, done.target_provision_state], ['manageable', null]);
  assert.equal(done.provision_updated_at, '2026-01-01T00:00:03.000+00:00');
});

test('a failed verification returns the node to enroll with an error', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ driver: 'lab', driver_info: { lab_power: 'silent' } });
  assert.equal((await put(daemon, uuid, 'manage')).status, 202);
  await daemon.idle();
  const { provision_state, target_provision_state, last_error } = daemon.node(uuid);
  assert.deepEqual([provision_state, target_provision_state], ['enroll', null]);
  assert.match(last_error ?? '', /Failed to verify the node.*no answer/);
});

test('manage from available, clean failed, inspect failed or adopt failed completes at once and keeps last_error', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  for (const state of ['available', 'clean failed', 'inspect failed', 'adopt failed'] as const) {
    daemon.services.db.nodes.update(uuid, { provision_state: state, last_error: 'kept' });
    assert.equal((await put(daemon, uuid, 'manage')).status, 202, state);
    const { provision_state, target_provision_state, last_error } = daemon.node(uuid);
    assert.deepEqual([provision_state, target_provision_state, last_error], ['manageable', null, 'kept']);
  }
});

test('inspection without a ramdisk ends in manageable and sets inspection_finished_at', async (t) => {
  const daemon = await startInProcess(t, { ini: '[fake]\ninspect_delay = 7\n' });
  const { uuid } = await daemon.createNode();
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable' });
  assert.equal((await put(daemon, uuid, 'inspect')).status, 202);
  const began = daemon.node(uuid);
  assert.deepEqual([began.provision_state, began.target_provision_state], ['inspecting', 'manageable']);
  assert.equal(began.inspection_started_at, '2026-01-01T00:00:00.000+00:00');
  await daemon.clock.advance(7000);
  await daemon.idle();
  const ended = daemon.node(uuid);
  assert.deepEqual([ended.provision_state, ended.inspection_started_at], ['manageable', null]);
  assert.equal(ended.inspection_finished_at, '2026-01-01T00:00:07.000+00:00');
});

test('an inspect request that the inspect interface rejects returns 400 and changes nothing', async (t) => {
  const daemon = await startInProcess(t, { ini: '[inspector]\nrequire_managed_boot = true\n' });
  const { uuid } = await daemon.createNode({ driver: 'ipmi', driver_info: { ipmi_address: '192.0.2.1' } });
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable' });
  const before = daemon.node(uuid);
  assert.equal((await put(daemon, uuid, 'inspect')).status, 400);
  assert.deepEqual(daemon.node(uuid), before);
});

test('inspection fails with the reason if the ramdisk cannot be started', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ driver: 'lab', driver_info: { lab_stuck: 'yes' } });
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable', power_state: 'power off' });
  assert.equal((await put(daemon, uuid, 'inspect')).status, 202);
  await daemon.idle();
  const { provision_state, target_provision_state, last_error, inspection_started_at } = daemon.node(uuid);
  assert.deepEqual(
    [provision_state, target_provision_state, inspection_started_at],
    ['inspect failed', 'manageable', null],
  );
  assert.match(last_error ?? '', /Failed to start inspection.*no answer/);
});

test('from version 1.41 on, an abort ends a waiting inspection and powers the machine off', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ driver: 'lab' });
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable', power_state: 'power off' });
  await put(daemon, uuid, 'inspect');
  await daemon.idle();
  const waiting = daemon.node(uuid);
  assert.deepEqual([waiting.provision_state, waiting.power_state], ['inspect wait', 'power on']);
  assert.equal((await put(daemon, uuid, 'abort', 40)).status, 406);
  assert.equal((await put(daemon, uuid, 'abort', 41)).status, 202);
  await daemon.idle();
  const { provision_state, power_state, last_error } = daemon.node(uuid);
  assert.deepEqual([provision_state, power_state], ['inspect failed', 'power off']);
  assert.equal(last_error, 'Inspection was aborted by request.');
});

test('a running inspection cannot be aborted', async (t) => {
  const daemon = await startInProcess(t, { ini: '[fake]\ninspect_delay = 7\n' });
  const { uuid } = await daemon.createNode();
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable' });
  await put(daemon, uuid, 'inspect');
  const answer = await put(daemon, uuid, 'abort');
  assert.equal(answer.status, 409);
  assert.match(answer.fault, /locked by host lab-host/);
});

test('provide makes a manageable node available, even in maintenance', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable', maintenance: true });
  assert.equal((await put(daemon, uuid, 'provide')).status, 202);
  await daemon.idle();
  const { provision_state, target_provision_state } = daemon.node(uuid);
  assert.deepEqual([provision_state, target_provision_state], ['available', null]);
});

test('provide is rejected for a retired node, without deploy support, and in maintenance if so configured', async (t) => {
  const daemon = await startInProcess(t, {
    ini: '[conductor]\nallow_provisioning_in_maintenance = false\n',
  });
  const cases = [
    [{ retired: true }, /because it is retired/],
    [{ deploy_interface: 'no-deploy' }, /automated_clean=false.*does not support deploy/],
    [{ maintenance: true }, /maintenance/],
  ] as const;
  for (const [fields, reason] of cases) {
    const { uuid } = await daemon.createNode();
    daemon.services.db.nodes.update(uuid, { ...fields, provision_state: 'manageable' });
    const answer = await put(daemon, uuid, 'provide');
    assert.equal(answer.status, 400);
    assert.match(answer.fault, reason);
    assert.equal(daemon.node(uuid).provision_state, 'manageable');
  }
});

test('active, rebuild, clean, rescue and service are rejected in maintenance', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ maintenance: true });
  const cases = {
    active: 'available',
    rebuild: 'active',
    clean: 'manageable',
    rescue: 'active',
    service: 'active',
  };
  for (const [verb, state] of Object.entries(cases)) {
    daemon.services.db.nodes.update(uuid, { provision_state: state as 'active' });
    const answer = await put(daemon, uuid, verb);
    assert.equal(answer.status, 400, verb);
    assert.match(answer.fault, /maintenance mode/, verb);
  }
});

test('from enroll to available, a node has a target state in transient, wait and failed states and in no others', async (t) => {
  const daemon = await startInProcess(t);
  const seen: string[] = [];
  daemon.services.transitions.stored.add((node) => {
    seen.push(node.provision_state);
    const working = ['transient', 'wait', 'failed', 'hold'].includes(classOf(node.provision_state));
    assert.equal(node.target_provision_state !== null, working || node.provision_state === 'verifying');
  });
  const { uuid } = await daemon.createNode({ driver: 'lab' });
  for (const verb of ['manage', 'inspect', 'abort', 'manage', 'provide']) {
    await put(daemon, uuid, verb);
    await daemon.idle();
  }
  assert.equal(daemon.node(uuid).provision_state, 'available');
  assert.ok(seen.length >= 8);
});

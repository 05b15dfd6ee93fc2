import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classOf, next, provisionStates } from '../../../daemon/model/provision-states.ts';
import { provisionVerbs, verbOf } from '../../../daemon/model/verbs.ts';
import { type InProcessDaemon, startInProcess } from '../../fakes/in-process-daemon.ts';

const put = (daemon: InProcessDaemon, node: string, target: unknown, version = 115) =>
  daemon.request('PUT', `/v1/nodes/${node}/states/provision`, { body: { target }, version });

test('a verb that the state does not know is 400 and changes nothing, in every state', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  for (const state of provisionStates) {
    daemon.services.db.nodes.update(uuid, { provision_state: state, target_provision_state: null });
    for (const verb of provisionVerbs) {
      if (next(state, verbOf(verb).event) !== undefined) continue;
      const before = daemon.node(uuid);
      const answer = await put(daemon, uuid, verb);
      assert.equal(answer.status, 400, `${verb} in ${state}`);
      assert.equal(
        answer.fault,
        `The requested action "${verb}" can not be performed on node "${uuid}" while it is in state "${state}".`,
      );
      assert.deepEqual(daemon.node(uuid), before);
    }
  }
});

test('verbs without a phase yet are refused by name, and change nothing', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  for (const [state, verb] of [
    ['available', 'active'],
    ['manageable', 'clean'],
    ['manageable', 'adopt'],
    ['active', 'deleted'],
    ['active', 'rescue'],
    ['clean wait', 'abort'],
  ] as const) {
    daemon.services.db.nodes.update(uuid, { provision_state: state });
    const answer = await put(daemon, uuid, verb);
    assert.equal(answer.status, 400, verb);
    assert.match(answer.fault, new RegExp(verb));
    assert.equal(daemon.node(uuid).provision_state, state);
  }
});

test('what a provision request carries is checked', async (t) => {
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
    [{ target: 'manage', clean_steps: [] }, 400],
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

test('manage verifies an enrolled node; the way there is visible when the request is accepted', async (t) => {
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

test('a node that cannot be verified goes back to enroll and says why', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ driver: 'lab', driver_info: { lab_power: 'silent' } });
  assert.equal((await put(daemon, uuid, 'manage')).status, 202);
  await daemon.idle();
  const { provision_state, target_provision_state, last_error } = daemon.node(uuid);
  assert.deepEqual([provision_state, target_provision_state], ['enroll', null]);
  assert.match(last_error ?? '', /Failed to verify the node.*no answer/);
});

test('manage from a state without work ends at once and keeps the error', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  for (const state of ['available', 'clean failed', 'inspect failed', 'adopt failed'] as const) {
    daemon.services.db.nodes.update(uuid, { provision_state: state, last_error: 'kept' });
    assert.equal((await put(daemon, uuid, 'manage')).status, 202, state);
    const { provision_state, target_provision_state, last_error } = daemon.node(uuid);
    assert.deepEqual([provision_state, target_provision_state, last_error], ['manageable', null, 'kept']);
  }
});

test('inspection without a ramdisk ends in manageable and stamps when it ended', async (t) => {
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

test('inspection that the interface refuses is 400 and changes nothing', async (t) => {
  const daemon = await startInProcess(t, { ini: '[inspector]\nrequire_managed_boot = true\n' });
  const { uuid } = await daemon.createNode({ driver: 'lab' });
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable' });
  const before = daemon.node(uuid);
  assert.equal((await put(daemon, uuid, 'inspect')).status, 400);
  assert.deepEqual(daemon.node(uuid), before);
});

test('inspection that cannot start its ramdisk fails with the reason, and may be tried again', async (t) => {
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

test('an inspection that waits is aborted from 1.41 on, by request and with the machine off', async (t) => {
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

test('an inspection that runs is not aborted', async (t) => {
  const daemon = await startInProcess(t, { ini: '[fake]\ninspect_delay = 7\n' });
  const { uuid } = await daemon.createNode();
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable' });
  await put(daemon, uuid, 'inspect');
  const answer = await put(daemon, uuid, 'abort');
  assert.equal(answer.status, 409);
  assert.match(answer.fault, /locked by host lab-host/);
});

test('provide makes a node available without cleaning', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable', maintenance: true });
  assert.equal((await put(daemon, uuid, 'provide')).status, 202);
  await daemon.idle();
  const { provision_state, target_provision_state } = daemon.node(uuid);
  assert.deepEqual([provision_state, target_provision_state], ['available', null]);
});

test('a node that is retired, must be cleaned or may not in maintenance is not provided', async (t) => {
  const daemon = await startInProcess(t, {
    ini: '[conductor]\nallow_provisioning_in_maintenance = false\n',
  });
  const cases = [
    [{ retired: true }, /because it is retired/],
    [{ automated_clean: true }, /automated cleaning/],
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

test('in maintenance the verbs that put a machine to use are refused', async (t) => {
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

test('a locked node makes the next request wait for two seconds, then answers 409', async (t) => {
  const daemon = await startInProcess(t, { ini: '[fake]\npower_delay = 60\n' });
  const { uuid } = await daemon.createNode();
  const port = await daemon.createPort(uuid, '52:54:00:00:00:01');
  await put(daemon, uuid, 'manage');
  const add = [{ op: 'add', path: '/extra/a', value: 1 }];
  const requests = [
    ['PATCH', `/v1/nodes/${uuid}`, add],
    ['DELETE', `/v1/nodes/${uuid}`, undefined],
    ['PUT', `/v1/nodes/${uuid}/maintenance`, {}],
    ['DELETE', `/v1/nodes/${uuid}/maintenance`, undefined],
    ['PUT', `/v1/nodes/${uuid}/states/power`, { target: 'power on' }],
    ['GET', `/v1/nodes/${uuid}/management/boot_device`, undefined],
    ['PATCH', `/v1/ports/${port.uuid}`, add],
    ['DELETE', `/v1/ports/${port.uuid}`, undefined],
  ] as const;
  const answers = requests.map(([method, path, body]) => daemon.request(method, path, { body }));
  let answered = 0;
  for (const answer of answers) void answer.then(() => (answered += 1));
  await daemon.clock.advance(1999);
  assert.equal(answered, 0);
  await daemon.clock.advance(1);
  for (const answer of await Promise.all(answers)) {
    assert.equal(answer.status, 409, answer.text);
    assert.equal(
      answer.fault,
      `Node ${uuid} is locked by host lab-host, please retry after the current operation is completed.`,
    );
  }
  const free = ['validate', 'states', 'ports', 'management/boot_device/supported'];
  for (const path of free)
    assert.equal((await daemon.request('GET', `/v1/nodes/${uuid}/${path}`)).status, 200);
  await daemon.createPort(uuid, '52:54:00:00:00:02');
});

test('a request that waits for a lock goes on when it becomes free, on the node as it then is', async (t) => {
  const daemon = await startInProcess(t, { ini: '[fake]\npower_delay = 1\n' });
  const { uuid } = await daemon.createNode();
  await put(daemon, uuid, 'manage');
  const waiting = put(daemon, uuid, 'provide');
  await daemon.clock.advance(0);
  assert.equal((await waiting).status, 409, 'impossible while verifying, and locked');
  const patch = daemon.request('PATCH', `/v1/nodes/${uuid}`, {
    body: [{ op: 'add', path: '/extra/a', value: 1 }],
  });
  await daemon.clock.advance(1000);
  assert.equal((await patch).body['provision_state'], 'manageable');
});

test('with every worker busy a request is 503 and changes nothing', async (t) => {
  const daemon = await startInProcess(t, {
    ini: '[fake]\npower_delay = 60\n[conductor]\nworkers_pool_size = 3\n',
  });
  const nodes = await Promise.all(['a', 'b', 'c', 'd'].map((name) => daemon.createNode({ name })));
  for (const name of ['a', 'b', 'c']) assert.equal((await put(daemon, name, 'manage')).status, 202);
  const before = daemon.node(nodes[3]?.uuid ?? '');
  for (const answer of [
    await put(daemon, 'd', 'manage'),
    await daemon.request('PUT', '/v1/nodes/d/states/power', { body: { target: 'power on' } }),
  ]) {
    assert.equal(answer.status, 503);
    assert.match(answer.fault, /3 are busy/);
  }
  assert.deepEqual(daemon.node(before.uuid), before);
  assert.equal(daemon.services.locks.holderOf(before.uuid), null);
  await daemon.clock.advance(60_000);
  await daemon.idle();
  assert.equal((await put(daemon, 'd', 'manage')).status, 202);
});

test('a daemon that stops takes no new work and lets running work end', async (t) => {
  const daemon = await startInProcess(t, { ini: '[fake]\npower_delay = 60\n' });
  const { uuid } = await daemon.createNode();
  await put(daemon, uuid, 'manage');
  daemon.services.workers.close();
  const other = await daemon.createNode();
  assert.equal((await put(daemon, other.uuid, 'manage')).status, 503);
  await daemon.clock.advance(60_000);
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'manageable');
});

test('no request leaves a node in a state of work without a target', async (t) => {
  const daemon = await startInProcess(t);
  const seen: string[] = [];
  daemon.services.transitions.add((node) => {
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

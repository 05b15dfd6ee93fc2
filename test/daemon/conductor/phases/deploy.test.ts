import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Json } from '../../../../daemon/model/json.ts';
import { offer, steppingAgent } from '../../../fakes/stepping-agent.ts';
import { startStepping, step, type SteppingSession } from '../../../fakes/stepping-session.ts';

const deployStep = (name: string, priority: number, args: object = {}) => step(name, args, { priority });

/** A node that waits in `wait call-back` for the ramdisk of its deployment, with the agent in it. */
async function awaited(t: TestContext, daemon: SteppingSession, deploy_steps: readonly object[] = []) {
  const node = await daemon.stepping('available', { driver_info: { deploy: 'wait' } });
  const agent = await steppingAgent(t, daemon, node);
  const answer = await daemon.verb(node, 'active', { deploy_steps });
  assert.equal(answer.status, 202, answer.text);
  assert.deepEqual(await daemon.state(node), ['wait call-back', 'active']);
  return { node, agent };
}

async function template(daemon: SteppingSession, name: string, steps: readonly object[]) {
  const answer = await daemon.request('POST', '/v1/deploy_templates', { body: { name, steps } });
  assert.equal(answer.status, 201, answer.text);
}

async function wanting(daemon: SteppingSession, node: string, own: string[], traits: Json) {
  await daemon.request('PUT', `/v1/nodes/${node}/traits`, { body: { traits: own } });
  daemon.services.db.nodes.update(node, { instance_info: { traits } });
}

test('a node is deployed by its own steps, prepared before and observed after', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('available', { driver_info: { deploy: 3000 } });
  const answer = await daemon.verb(node, 'active');
  assert.equal(answer.status, 202, answer.text);
  assert.deepEqual(daemon.node(node).provision_state, 'deploying');
  assert.deepEqual(daemon.node(node).target_provision_state, 'active');
  await daemon.clock.advance(1000);
  assert.deepEqual(daemon.node(node).deploy_step, {
    interface: 'deploy',
    step: 'deploy',
    priority: 100,
    abortable: true,
    requires_ramdisk: true,
  });
  await daemon.clock.advance(2000);
  assert.deepEqual(await daemon.state(node), ['active', null]);
  assert.deepEqual(daemon.notes(node), ['prepare', 'deploy', 'boot']);
  const { deploy_step, last_error, driver_internal_info } = daemon.node(node);
  assert.deepEqual([deploy_step, last_error], [{}, null]);
  assert.deepEqual(Object.keys(driver_internal_info), ['notes']);
  const history = await daemon.request('GET', `/v1/nodes/${node}/history?detail=true`);
  assert.deepEqual(
    history.body.history.map(({ event_type: type, severity }) => `${String(type)} ${String(severity)}`),
    ['deployment_start INFO', 'deployment_end INFO'],
  );
});

test('the agent is asked for its steps at its first heartbeat, and they take their places behind the one that booted it', async (t) => {
  const daemon = await startStepping(t);
  const { node, agent } = await awaited(t, daemon, [
    deployStep('deploy.inject', 70, { files: [] }),
    deployStep('bios.apply', 120, { settings: [] }),
  ]);
  assert.deepEqual(daemon.notes(node), ['prepare', 'apply {"settings":[]}', 'deploy']);
  agent.steps.deploy = [
    offer('deploy.inject', 0, { argsinfo: { files: { description: 'Files.', required: true } } }),
    offer('deploy.burn', 90),
    offer('deploy.idle', 0),
  ];
  await agent.boot();
  await agent.beat();
  assert.deepEqual(agent.asked, ['get_deploy_steps', 'execute_deploy_step burn']);
  assert.deepEqual(await daemon.state(node), ['wait call-back', 'active']);
  agent.end();
  await agent.beat();
  assert.deepEqual(agent.asked.at(-1), 'execute_deploy_step inject');
  assert.deepEqual(agent.parameters['step'], {
    interface: 'deploy',
    step: 'inject',
    args: { files: [] },
    priority: 70,
    abortable: true,
    requires_ramdisk: true,
  });
  agent.end();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['active', null]);
  assert.deepEqual(daemon.notes(node).at(-1), 'boot');
});

test("steps that no agent has either end the deployment before the first of the agent's steps", async (t) => {
  const daemon = await startStepping(t);
  for (const [deploy_steps, reason] of [
    [[deployStep('deploy.dance', 70)], /deploy_steps: the node has no deploy step deploy\.dance/],
    [[deployStep('deploy.inject', 70)], /inject lacks the required arguments files/],
    [[deployStep('deploy.inject', 70, { files: [], mode: 1 })], /inject has unexpected arguments: mode/],
    [
      [deployStep('deploy.inject', 110, { files: [] })],
      /deploy\.inject has priority 110, but became known when steps of lower priority had run/,
    ],
  ] as const) {
    const { node, agent } = await awaited(t, daemon, deploy_steps);
    agent.steps.deploy = [
      offer('deploy.inject', 0, { argsinfo: { files: { description: 'Files.', required: true } } }),
      offer('deploy.burn', 90),
    ];
    await agent.boot();
    await agent.beat();
    assert.deepEqual(await daemon.state(node), ['deploy failed', 'active']);
    assert.match(daemon.node(node).last_error ?? '', reason);
    assert.ok(agent.asked.every((asked) => !asked.startsWith('execute')));
  }
});

test('a step that two templates have runs twice, also when the ramdisk is booted anew in between', async (t) => {
  const daemon = await startStepping(t);
  await template(daemon, 'CUSTOM_FIRST', [deployStep('deploy.burn', 90, { hours: 1 })]);
  await template(daemon, 'CUSTOM_SECOND', [deployStep('deploy.burn', 70, { hours: 2 })]);
  const node = await daemon.stepping('available', { driver_info: { deploy: 'wait' } });
  const traits = ['CUSTOM_FIRST', 'CUSTOM_SECOND'];
  await wanting(daemon, node, [...traits, 'CUSTOM_OTHER'], traits);
  const agent = await steppingAgent(t, daemon, node);
  agent.steps.deploy = [
    offer('deploy.burn', 0, { argsinfo: { hours: { description: 'Hours.' } }, reboot_requested: true }),
  ];
  assert.equal((await daemon.verb(node, 'active')).status, 202);
  await daemon.idle();
  for (const hours of [1, 2]) {
    await agent.boot();
    await agent.beat();
    assert.deepEqual((agent.parameters['step'] as { args: object }).args, { hours });
    agent.end();
    await agent.beat();
    assert.deepEqual(await daemon.state(node), ['wait call-back', 'active']);
  }
  await agent.boot();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['active', null]);
  assert.equal(agent.asked.filter((asked) => asked === 'execute_deploy_step burn').length, 2);
});

test('requests that cannot be are refused and change nothing', async (t) => {
  const daemon = await startStepping(t, { ini: '[api]\ndisallow_deploy_steps = bios.flash\n' });
  await template(daemon, 'CUSTOM_BROKEN', [deployStep('bios.apply', 50)]);
  const cases: readonly (readonly [object, RegExp, Json?])[] = [
    [{ deploy_steps: [deployStep('bios.apply', 10)] }, /deploy_steps: step bios\.apply lacks .* settings/],
    [{ deploy_steps: [deployStep('deploy.deploy', 10)] }, /deploy\.deploy is a core step/],
    [{ deploy_steps: [deployStep('bios.flash', 10)] }, /bios\.flash is not allowed in deploy_steps/],
    [{}, /deploy template CUSTOM_BROKEN: step bios\.apply lacks/, ['CUSTOM_BROKEN']],
    [{}, /lacks traits that its instance_info asks for: CUSTOM_UNKNOWN/, ['CUSTOM_UNKNOWN']],
    [{}, /instance_info\/traits of node .* is not a list of texts/, 'CUSTOM_BROKEN'],
  ];
  for (const [more, reason, traits = []] of cases) {
    const node = await daemon.stepping('available');
    await wanting(daemon, node, ['CUSTOM_BROKEN'], traits);
    const answer = await daemon.verb(node, 'active', more);
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.fault, reason);
    assert.deepEqual(await daemon.state(node), ['available', null]);
    assert.deepEqual(daemon.notes(node), []);
  }
});

test('validation of a node tells what is wrong with the traits and templates of its instance', async (t) => {
  const daemon = await startStepping(t);
  await template(daemon, 'CUSTOM_BROKEN', [deployStep('bios.apply', 50)]);
  await template(daemon, 'CUSTOM_OF_AGENT', [deployStep('deploy.unheard_of', 50)]);
  const node = await daemon.stepping('available');
  for (const [traits, reason] of [
    [['CUSTOM_OF_AGENT'], undefined],
    [['CUSTOM_BROKEN'], /deploy template CUSTOM_BROKEN: step bios\.apply lacks .* settings/],
    [['CUSTOM_OTHER'], /lacks traits/],
  ] as const) {
    await wanting(daemon, node, ['CUSTOM_OF_AGENT', 'CUSTOM_BROKEN'], traits);
    const { body } = await daemon.request('GET', `/v1/nodes/${node}/validate`);
    const { result, reason: told } = body['deploy'] as { result: boolean; reason?: string };
    assert.equal(result, reason === undefined, told);
    if (reason) assert.match(told ?? '', reason);
  }
});

test('a config drive is kept for the deploy interface and shown to nobody', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('available');
  const configdrive = { meta_data: { hostname: 'a-host' } };
  assert.equal((await daemon.verb(node, 'active', { configdrive })).status, 202);
  await daemon.idle();
  assert.deepEqual(daemon.node(node).instance_info['configdrive'], configdrive);
  assert.doesNotMatch((await daemon.request('GET', `/v1/nodes/${node}`)).text, /a-host/);
  assert.doesNotMatch(daemon.log(), /a-host/);
});

test('a step that fails ends the deployment: cleared up, with the reason, and no maintenance', async (t) => {
  const daemon = await startStepping(t);
  for (const [driver_info, reason, notes] of [
    [{ prepare: 'no network' }, /^Deployment failed: no network/, ['prepare', 'cleanUp']],
    [{ deploy: 'no disk' }, /Step deploy\.deploy failed: no disk/, ['prepare', 'deploy', 'cleanUp']],
    [
      { deploy: 'no disk', cleanUp: 'no way out' },
      /no disk.*Cleaning up after the deployment failed: no way out/,
      ['prepare', 'deploy', 'cleanUp'],
    ],
  ] as const) {
    const node = await daemon.stepping('available', { driver_info });
    await daemon.verb(node, 'active');
    assert.deepEqual(await daemon.state(node), ['deploy failed', 'active']);
    const { last_error, maintenance, deploy_step } = daemon.node(node);
    assert.match(last_error ?? '', reason);
    assert.deepEqual([maintenance, deploy_step, daemon.notes(node)], [false, {}, notes]);
    assert.equal((await daemon.verb(node, 'rebuild')).status, 202);
    await daemon.idle();
    assert.equal((await daemon.verb(node, 'deleted')).status, 202);
    await daemon.idle();
  }
});

test('a deployment that nothing was heard of ends in time, once', async (t) => {
  const daemon = await startStepping(t);
  const { node } = await awaited(t, daemon);
  await daemon.clock.advance(1_799_000);
  assert.deepEqual(await daemon.state(node), ['wait call-back', 'active']);
  await daemon.clock.advance(121_000);
  assert.deepEqual(await daemon.state(node), ['deploy failed', 'active']);
  assert.match(
    daemon.node(node).last_error ?? '',
    /Nothing was heard for 1800 s \(\[conductor\] deploy_callback_timeout\).*at step deploy\.deploy/,
  );
  assert.deepEqual(daemon.notes(node), ['prepare', 'deploy', 'cleanUp']);
  await daemon.clock.advance(7_200_000);
  assert.equal(daemon.notes(node).length, 3);
});

test('an abort ends a waiting deployment at once, after a step that must not be cut short, or on hold', async (t) => {
  const daemon = await startStepping(t);
  const { node, agent } = await awaited(t, daemon);
  assert.equal((await daemon.verb(node, 'abort')).status, 202);
  assert.deepEqual(await daemon.state(node), ['deploy failed', 'active']);
  assert.match(daemon.node(node).last_error ?? '', /aborted by request at step deploy\.deploy/);
  assert.deepEqual(daemon.notes(node).slice(-1), ['cleanUp']);
  assert.deepEqual(agent.asked, []);

  const second = await awaited(t, daemon);
  second.agent.steps.deploy = [offer('deploy.burn', 90, { abortable: false })];
  await second.agent.boot();
  await second.agent.beat();
  assert.equal((await daemon.verb(second.node, 'abort')).status, 202);
  assert.deepEqual(await daemon.state(second.node), ['wait call-back', 'active']);
  second.agent.end();
  await second.agent.beat();
  assert.deepEqual(await daemon.state(second.node), ['deploy failed', 'active']);
  assert.match(daemon.node(second.node).last_error ?? '', /aborted by request at step deploy\.burn/);
});

test('the same is undeployed while it waits, or deployed anew after it failed', async (t) => {
  const daemon = await startStepping(t, { ini: 'automated_clean = false\n' });
  const { node } = await awaited(t, daemon);
  assert.equal((await daemon.verb(node, 'deleted')).status, 202);
  assert.deepEqual(await daemon.state(node), ['available', null]);
  assert.deepEqual(daemon.notes(node), ['prepare', 'deploy', 'tearDown']);
  assert.equal(daemon.node(node).driver_internal_info['user_deploy_steps'], undefined);
});

test('of two requests at once one is carried out', async (t) => {
  const daemon = await startStepping(t);
  for (const [state, verbs] of [
    ['available', ['active', 'active']],
    ['active', ['rebuild', 'deleted']],
    ['active', ['deleted', 'rescue']],
  ] as const) {
    const node = await daemon.stepping(state, {
      driver_info: { prepare: 9000, tearDown: 9000, rescue: 9000 },
    });
    const answers = await Promise.all(
      verbs.map((verb) => daemon.verb(node, verb, verb === 'rescue' ? { rescue_password: 'x' } : {})),
    );
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [202, 409],
    );
  }
});

test('protected nodes, nodes in maintenance and too many at once are refused', async (t) => {
  const daemon = await startStepping(t, { ini: 'max_concurrent_deploy = 1\n' });
  const node = await daemon.stepping('active');
  daemon.services.db.nodes.update(node, { protected: true });
  for (const verb of ['rebuild', 'deleted']) {
    const answer = await daemon.verb(node, verb);
    assert.equal(answer.status, 403);
    assert.match(answer.fault, /protected/);
  }
  daemon.services.db.nodes.update(node, { protected: false, maintenance: true });
  assert.match((await daemon.verb(node, 'rebuild')).fault, /maintenance/);
  const busy = await daemon.stepping('available', { driver_info: { prepare: 9000 } });
  assert.equal((await daemon.verb(busy, 'active')).status, 202);
  const other = await daemon.stepping('available');
  assert.equal((await daemon.verb(other, 'active')).status, 503);
  assert.deepEqual(daemon.node(other).provision_state, 'available');
});

test('noop deploy and fake deploy go through the whole flow', async (t) => {
  const daemon = await startStepping(t, {
    ini: '[DEFAULT]\nenabled_deploy_interfaces = noop,fake,stepping\n',
  });
  for (const driver of ['fake-hardware', 'manual-management']) {
    const { uuid, ...node } = await daemon.createNode({ driver });
    assert.equal(node['deploy_interface'], driver === 'fake-hardware' ? 'fake' : 'noop');
    daemon.services.db.nodes.update(uuid, { provision_state: 'available', power_state: 'power on' });
    for (const [verb, state] of [
      ['active', 'active'],
      ['rebuild', 'active'],
      ['deleted', 'available'],
    ] as const) {
      const answer = await daemon.verb(uuid, verb);
      assert.equal(answer.status, 202, answer.text);
      assert.deepEqual(await daemon.state(uuid), [state, null], daemon.node(uuid).last_error ?? '');
    }
  }
});

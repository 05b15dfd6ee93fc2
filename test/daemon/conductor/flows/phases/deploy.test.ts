import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { offer, steppingAgent } from '../../../../fakes/machines/stepping-agent.ts';
import { template, wanting } from '../../../../fakes/deploy-templates.ts';
import {
  afterCrash,
  startStepping,
  step,
  type SteppingSession,
} from '../../../../fakes/machines/stepping-session.ts';

const deployStep = (name: string, priority: number, args: object = {}) => step(name, args, { priority });

/** Returns a node that waits for its deploy ramdisk in `wait call-back`, and the agent of that node. */
async function awaited(t: TestContext, daemon: SteppingSession, deploy_steps: readonly object[] = []) {
  const node = await daemon.stepping('available', { driver_info: { deploy: 'wait' } });
  const agent = await steppingAgent(t, daemon, node);
  const answer = await daemon.verb(node, 'active', { deploy_steps });
  assert.equal(answer.status, 202, answer.text);
  assert.deepEqual(await daemon.state(node), ['wait call-back', 'active']);
  return { node, agent };
}

test('a deployment prepares the node, runs its steps and records start and end', async (t) => {
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

test('agent steps are read at the first heartbeat and run by priority', async (t) => {
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

test('an invalid agent step fails the deployment before any agent step runs', async (t) => {
  const daemon = await startStepping(t);
  for (const [deploy_steps, reason] of [
    [[deployStep('deploy.dance', 70)], /deploy_steps: the node has no deploy step deploy\.dance/],
    [[deployStep('deploy.inject', 70)], /inject lacks the required arguments files/],
    [[deployStep('deploy.inject', 70, { files: [], mode: 1 })], /inject has unexpected arguments: mode/],
    [
      [deployStep('deploy.inject', 110, { files: [] })],
      /deploy\.inject has priority 110, but was discovered after steps of lower priority had run/,
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

test('a step in two templates runs twice, even with a ramdisk reboot in between', async (t) => {
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
  const starts = daemon.services.db.history
    .where({ sql: 'node_uuid = ?', values: [node] })
    .filter(({ event_type: type }) => type === 'deployment_start')
    .map(({ event }) => event);
  assert.deepEqual(starts, [
    'Steps: deploy.deploy, deploy.boot.',
    'Steps, with those of the agent: deploy.deploy, deploy.burn {"hours":1}, deploy.burn {"hours":2}, deploy.boot.',
  ]);
});

test('a failed preparation or step ends the deployment with clean-up and the reason, without maintenance', async (t) => {
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

test('a deployment whose agent does not call back within deploy_callback_timeout fails, and fails only once', async (t) => {
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

test('an abort ends a waiting deployment, after the current step if that is not abortable', async (t) => {
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

test('a deploy hold survives a daemon crash and ends with unhold or abort', async (t) => {
  const first = await startStepping(t);
  const deploy_steps = [deployStep('deploy.hold', 50), deployStep('power.wait', 30, { seconds: 60 })];
  const begun = async () => {
    const node = await first.stepping('available');
    const answer = await first.verb(node, 'active', { deploy_steps });
    assert.equal(answer.status, 202, answer.text);
    assert.deepEqual(await first.state(node), ['deploy hold', 'active']);
    return node;
  };
  const [released, aborted] = [await begun(), await begun()];
  const daemon = await afterCrash(t, first);
  await first.stop();
  assert.equal((await daemon.verb(released, 'unhold')).status, 202);
  assert.deepEqual(await daemon.state(released), ['wait call-back', 'active']);
  assert.equal(daemon.node(released).deploy_step['step'], 'wait');
  await daemon.clock.advance(60_000);
  assert.deepEqual(await daemon.state(released), ['active', null]);
  assert.deepEqual(daemon.notes(released), ['prepare', 'deploy', 'boot']);
  assert.equal((await daemon.verb(aborted, 'abort')).status, 202);
  assert.deepEqual(await daemon.state(aborted), ['deploy failed', 'active']);
  assert.match(daemon.node(aborted).last_error ?? '', /aborted by request at step deploy\.hold/);
  assert.deepEqual(daemon.notes(aborted), ['prepare', 'deploy', 'cleanUp']);
});

test('a waiting deployment can be undeployed', async (t) => {
  const daemon = await startStepping(t, { ini: 'automated_clean = false\n' });
  const { node } = await awaited(t, daemon);
  assert.equal((await daemon.verb(node, 'deleted')).status, 202);
  assert.deepEqual(await daemon.state(node), ['available', null]);
  assert.deepEqual(daemon.notes(node), ['prepare', 'deploy', 'tearDown']);
  assert.equal(daemon.node(node).driver_internal_info['user_deploy_steps'], undefined);
});

test('the noop and fake deploy interfaces complete deploy, rebuild and undeploy', async (t) => {
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

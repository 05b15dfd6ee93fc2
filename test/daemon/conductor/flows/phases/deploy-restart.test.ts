// The effect of a daemon crash on a deployment, an undeployment, an adoption and a rescue.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProvisionState } from '../../../../../daemon/model/states/provision-states.ts';
import { offer, steppingAgent } from '../../../../fakes/machines/stepping-agent.ts';
import { afterCrash, startStepping, step } from '../../../../fakes/machines/stepping-session.ts';

test('a deployment that waits for its ramdisk or an agent step survives a daemon crash', async (t) => {
  for (const crash of ['before the ramdisk', 'in a step'] as const) {
    const first = await startStepping(t);
    const node = await first.stepping('available', { driver_info: { deploy: 'wait' } });
    const agent = await steppingAgent(t, first, node);
    agent.steps.deploy = [offer('deploy.burn', 90)];
    await first.verb(node, 'active', {
      deploy_steps: [step('bios.apply', { settings: [] }, { priority: 50 })],
    });
    await first.idle();
    if (crash === 'in a step') {
      await agent.boot();
      await agent.beat();
    }
    const second = await afterCrash(t, first);
    agent.session = second;
    if (crash === 'before the ramdisk') {
      await agent.boot();
      await agent.beat();
    }
    agent.end();
    await agent.beat();
    assert.deepEqual(await second.state(node), ['active', null], crash);
    assert.deepEqual(second.notes(node), [
      'prepare',
      'deploy',
      'ended burn deploy_result deploy_step',
      'apply {"settings":[]}',
      'boot',
    ]);
    assert.deepEqual(agent.asked, ['get_deploy_steps', 'execute_deploy_step burn']);
  }
});

test('after a crash, the next daemon polls a BMC step that a deployment is running', async (t) => {
  const first = await startStepping(t);
  const node = await first.stepping('available', { driver_info: { check: ['wait', 'done'] } });
  await first.verb(node, 'active', { deploy_steps: [step('bios.flash', {}, { priority: 120 })] });
  await first.idle();
  await first.clock.advance(15_000);
  const second = await afterCrash(t, first);
  await first.stop();
  await second.clock.advance(40_000);
  assert.deepEqual(await second.state(node), ['active', null]);
  assert.deepEqual(second.notes(node), ['prepare', 'flash', 'check', 'check', 'deploy', 'boot']);
});

test('a rescue that waits for its ramdisk survives a daemon crash', async (t) => {
  const first = await startStepping(t);
  const node = await first.stepping('active');
  const agent = await steppingAgent(t, first, node);
  await first.verb(node, 'rescue', { rescue_password: 'secret' });
  await first.idle();
  const second = await afterCrash(t, first);
  agent.session = second;
  await agent.boot();
  await agent.beat();
  assert.deepEqual(await second.state(node), ['rescue', null]);
  assert.deepEqual(second.notes(node), ['rescue $5$', 'finish']);
});

const interrupted: readonly (readonly [
  ProvisionState,
  string,
  string,
  ProvisionState,
  string,
  ProvisionState,
])[] = [
  ['available', 'active', 'prepare', 'deploy failed', 'active', 'active'],
  ['available', 'active', 'deploy', 'deploy failed', 'rebuild', 'active'],
  ['active', 'rebuild', 'boot', 'deploy failed', 'active', 'active'],
  ['active', 'deleted', 'tearDown', 'error', 'deleted', 'available'],
  ['manageable', 'adopt', 'takeOver', 'adopt failed', 'adopt', 'active'],
  ['rescue', 'unrescue', 'unrescue', 'unrescue failed', 'unrescue', 'active'],
  ['active', 'rescue', 'rescue', 'rescue failed', 'unrescue', 'active'],
];
for (const [from, verb, work, failed, again, end] of interrupted) {
  test(`${verb}: a crash in ${work} leads to ${failed}, and a new request leads to ${end}`, async (t) => {
    const ini = 'automated_clean = false\n';
    const first = await startStepping(t, { ini });
    const node = await first.stepping(from, { driver_info: { [work]: [5000, 0] } });
    const more = verb === 'rescue' ? { rescue_password: 'x' } : {};
    assert.equal((await first.verb(node, verb, more)).status, 202);
    await first.clock.advance(1000);
    const second = await afterCrash(t, first);
    const { provision_state, last_error, maintenance, deploy_step, instance_info } = second.node(node);
    assert.deepEqual([provision_state, maintenance, deploy_step], [failed, false, {}]);
    assert.deepEqual(instance_info, {});
    assert.match(last_error ?? '', /the service was restarted/);
    assert.equal(second.services.locks.holderOf(node), null);
    await first.stop();
    second.services.db.nodes.update(node, { automated_clean: false });
    const answer = await second.verb(node, again);
    assert.equal(answer.status, 202, answer.text);
    assert.deepEqual(await second.state(node), [end, null]);
  });
}

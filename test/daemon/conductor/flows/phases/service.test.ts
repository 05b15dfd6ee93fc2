import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offer, steppingAgent } from '../../../../fakes/machines/stepping-agent.ts';
import { startStepping, step } from '../../../../fakes/machines/stepping-session.ts';

const reset = step('bios.factory_reset');

test('service steps that need no ramdisk run without booting one', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('active', { driver_info: { factory_reset: 1000 } });
  const answer = await daemon.verb(node, 'service', { service_steps: [reset] });
  assert.deepEqual([answer.status, answer.text], [202, '']);
  const { provision_state, target_provision_state, service_step } = daemon.node(node);
  assert.deepEqual([provision_state, target_provision_state], ['servicing', 'active']);
  assert.equal(service_step['step'], 'factory_reset');
  await daemon.clock.advance(1000);
  assert.deepEqual(await daemon.state(node), ['active', null]);
  assert.deepEqual([daemon.notes(node), daemon.node(node).service_step], [['factory_reset'], {}]);
});

test('service boots the ramdisk for a step that needs one, and restores the instance afterwards', async (t) => {
  const daemon = await startStepping(t);
  for (const [name, asked] of [
    ['deploy.wipe', []],
    ['deploy.burnin', ['execute_service_step burnin']],
  ] as const) {
    const node = await daemon.stepping('active');
    const agent = await steppingAgent(t, daemon, node);
    agent.steps.service = [offer('deploy.burnin', 0)];
    await daemon.verb(node, 'service', { service_steps: [reset, step(name)] });
    assert.deepEqual(await daemon.state(node), ['service wait', 'active']);
    await agent.boot();
    await agent.beat();
    assert.deepEqual(agent.asked.slice(1), asked);
    if (asked.length > 0) {
      agent.end();
      await agent.beat();
    }
    assert.deepEqual(await daemon.state(node), ['active', null]);
    const notes = daemon.notes(node);
    assert.deepEqual([notes[0], notes.at(-1)], ['prepareService', 'tearDownService']);
  }
});

test('failed service keeps the ramdisk and sets maintenance, and can be repeated', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('active');
  const agent = await steppingAgent(t, daemon, node);
  agent.steps.service = [offer('deploy.burnin', 0)];
  await daemon.verb(node, 'service', { service_steps: [step('deploy.burnin')] });
  await daemon.idle();
  await agent.boot();
  await agent.beat();
  agent.end('FAILED', 'too hot');
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['service failed', 'active']);
  const { fault, maintenance, last_error } = daemon.node(node);
  assert.deepEqual([fault, maintenance], ['service failure', true]);
  assert.equal(last_error, 'Servicing failed: Step deploy.burnin failed: too hot');
  assert.deepEqual(daemon.notes(node), ['prepareService']);
  assert.equal(agent.asked.at(-1), 'collect_system_logs');
  await daemon.request('DELETE', `/v1/nodes/${node}/maintenance`);
  await daemon.verb(node, 'service', { service_steps: [reset] });
  assert.deepEqual(await daemon.state(node), ['active', null]);
  // after its steps, the second attempt tears down the ramdisk of the first
  assert.deepEqual(daemon.notes(node), ['prepareService', 'factory_reset', 'tearDownService']);
});

test('a service hold ends with unhold or with a new service request', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('active');
  await daemon.verb(node, 'service', { service_steps: [step('bios.hold'), reset] });
  assert.deepEqual(await daemon.state(node), ['service hold', 'active']);
  assert.equal((await daemon.verb(node, 'unhold')).status, 202);
  assert.deepEqual(await daemon.state(node), ['active', null]);
  assert.deepEqual(daemon.notes(node), ['factory_reset']);
  await daemon.verb(node, 'service', { service_steps: [step('bios.hold'), reset] });
  await daemon.idle();
  await daemon.verb(node, 'service', { service_steps: [step('bios.apply', { settings: [] })] });
  assert.deepEqual(await daemon.state(node), ['active', null]);
  assert.deepEqual(daemon.notes(node).slice(1), ['apply {"settings":[]}']);
});

test('an unavailable service step fails service before any step runs', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('active');
  await daemon.verb(node, 'service', { service_steps: [reset, step('management.clear_jobs')] });
  assert.deepEqual(await daemon.state(node), ['service failed', 'active']);
  const { last_error, maintenance } = daemon.node(node);
  assert.match(last_error ?? '', /the node has no step management\.clear_jobs/);
  assert.deepEqual([maintenance, daemon.notes(node)], [false, []]);
});

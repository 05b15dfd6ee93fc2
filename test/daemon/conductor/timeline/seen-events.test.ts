import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { PowerSync } from '../../../../daemon/conductor/loops/power-sync.ts';
import { offer, steppingAgent } from '../../../fakes/machines/stepping-agent.ts';
import { startStepping, step } from '../../../fakes/machines/stepping-session.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { timelineOf } from '../../../fakes/timeline.ts';

/** A node whose ramdisk has just booted to carry out `steps`. */
async function cleaning(t: TestContext, steps: readonly string[]) {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable');
  const agent = await steppingAgent(t, daemon, node);
  agent.steps.clean = steps.map((name) => offer(name, 10));
  await daemon.verb(node, 'clean', { clean_steps: steps.map((name) => step(name)) });
  await daemon.idle();
  await agent.boot();
  return { daemon, node, agent };
}

test('a cleaning is in the timeline from the lookup by the ramdisk to the last command of the agent', async (t) => {
  const { daemon, node, agent } = await cleaning(t, ['deploy.erase']);
  await agent.beat();
  agent.end();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
  const events = timelineOf(daemon, node).map((text) => text.replace(/http:\S+/, 'URL'));
  assert.deepEqual(events, [
    "wait for the first heartbeat of the agent in the machine's ramdisk (clean wait)",
    'lookup its ramdisk looked up its node',
    'heartbeat the agent at URL sent a heartbeat',
    'agent its agent began clean.get_clean_steps',
    'agent its agent ended clean.get_clean_steps',
    'agent its agent began clean step deploy.erase',
    'wait for the end of step deploy.erase, which the agent runs (clean wait)',
    'heartbeat the agent at URL sent a heartbeat',
    'agent its agent ended clean step deploy.erase',
  ]);
});

test('a command that the agent refuses, and a step that fails, are failures in the timeline', async (t) => {
  const { daemon, node, agent } = await cleaning(t, ['deploy.erase']);
  agent.busy = true;
  await agent.beat();
  agent.busy = false;
  await agent.beat();
  agent.end('FAILED', 'no disk to erase');
  await agent.beat();
  const failures = timelineOf(daemon, node).filter((text) => text.startsWith('!'));
  assert.equal(failures.length, 2);
  assert.match(failures[0] ?? '', /^!agent its agent did not begin clean\.get_clean_steps: .*Agent is busy/);
  assert.equal(failures[1], '!agent its agent did not end clean step deploy.erase: no disk to erase');
});

test('a step that the agent refuses because its hardware managers have changed is a failure in the timeline', async (t) => {
  const { daemon, node, agent } = await cleaning(t, ['deploy.erase', 'deploy.trim']);
  await agent.beat();
  agent.end();
  agent.version = '2.0';
  await agent.beat();
  assert.deepEqual(
    timelineOf(daemon, node).filter((text) => text.startsWith('!')),
    ['!agent its agent refused clean step deploy.trim: its hardware managers have changed'],
  );
});

test('a lookup by a ramdisk that no node expects is in the timeline of its MAC address', async (t) => {
  const daemon = await startInProcess(t);
  const refused = await daemon.request('GET', '/v1/lookup?addresses=52:54:00:00:00:77');
  assert.equal(refused.status, 404);
  const { body } = await daemon.request('GET', '/v1/unknown_machines/52:54:00:00:00:77/timeline');
  assert.partialDeepStrictEqual(body['events'], [
    { hop: 'lookup', text: 'its ramdisk asked for its node; no node expects this ramdisk', failed: true },
  ]);
});

test('a change of power is in the timeline before and after the BMC carries it out; a request without effect is not', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ driver: 'lab' });
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable' });
  const setPower = async (target: string) => {
    await daemon.request('PUT', `/v1/nodes/${uuid}/states/power`, { body: { target } });
    await daemon.idle();
  };
  await setPower('power on');
  await setPower('power on');
  assert.deepEqual(timelineOf(daemon, uuid), [
    'power power requested: power on',
    'power power changed: power on',
  ]);
});

test('a change of power that fails is in the timeline with its reason', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ driver: 'lab', driver_info: { lab_stuck: 'yes' } });
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable' });
  await daemon.request('PUT', `/v1/nodes/${uuid}/states/power`, { body: { target: 'power on' } });
  await daemon.idle();
  const [, failure] = timelineOf(daemon, uuid);
  assert.match(failure ?? '', /^!power Failed to change power state to "power on": /);
});

test('a change of power by someone else is in the timeline', async (t) => {
  const daemon = await startInProcess(t, { ini: '[conductor]\nforce_power_state_during_sync = false\n' });
  const { uuid } = await daemon.createNode({ driver: 'lab', driver_info: { lab_power: 'power on' } });
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable', power_state: 'power off' });
  await new PowerSync(daemon.services, new Map()).pass();
  assert.deepEqual(timelineOf(daemon, uuid), [
    'power Power state changed outside the service: "power off" -> "power on".',
  ]);
});

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { offer, steppingAgent } from '../../../../fakes/machines/stepping-agent.ts';
import { startStepping, step } from '../../../../fakes/machines/stepping-session.ts';

/** A node whose ramdisk has just booted for a manual cleaning with these steps. */
async function inRamdisk(t: TestContext, clean_steps: readonly object[], fields: object = {}) {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', fields);
  const agent = await steppingAgent(t, daemon, node);
  agent.steps.clean = [
    offer('deploy.erase', 10),
    offer('deploy.flash', 0, { reboot_requested: true }),
    offer('deploy.probe', 0, { abortable: false }),
  ];
  await daemon.verb(node, 'clean', { clean_steps });
  await daemon.idle();
  await agent.boot();
  return { daemon, node, agent };
}

test('a busy agent gets its first requests at a later heartbeat', async (t) => {
  const { daemon, node, agent } = await inRamdisk(t, [step('deploy.erase')]);
  agent.busy = true;
  await agent.beat();
  assert.deepEqual([agent.asked, await daemon.state(node)], [[], ['clean wait', 'manageable']]);
  agent.busy = false;
  await agent.beat();
  assert.deepEqual(agent.asked, ['get_clean_steps', 'execute_clean_step erase']);
});

test('a step that a busy agent did not accept starts at the next heartbeat', async (t) => {
  const { daemon, node, agent } = await inRamdisk(t, [step('deploy.erase'), step('deploy.probe')]);
  await agent.beat();
  agent.end();
  agent.busy = true;
  await agent.beat();
  assert.equal(daemon.node(node).clean_step['step'], 'probe');
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
  agent.busy = false;
  await agent.beat();
  assert.deepEqual(agent.asked.slice(1), ['execute_clean_step erase', 'execute_clean_step probe']);
  agent.end();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
});

test('when the hardware manager version has changed, the agent steps are reloaded and the rejected step is repeated', async (t) => {
  const { daemon, node, agent } = await inRamdisk(t, [step('deploy.erase'), step('deploy.probe')]);
  await agent.beat();
  agent.end();
  agent.version = '2.0';
  await agent.beat();
  assert.deepEqual(agent.asked.slice(2), [
    'execute_clean_step probe',
    'get_clean_steps',
    'execute_clean_step probe',
  ]);
  agent.end();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
});

test('when the hardware manager version has changed, automated cleaning continues with the new agent steps', async (t) => {
  const daemon = await startStepping(t, {
    ini: 'clean_step_priority_override = deploy.wipe:0,deploy.polish:0,management.set_clock:0\n',
  });
  const node = await daemon.stepping('manageable');
  const agent = await steppingAgent(t, daemon, node);
  agent.steps.clean = [offer('deploy.erase', 10), offer('deploy.trim', 5)];
  await daemon.verb(node, 'provide');
  await daemon.idle();
  await agent.boot();
  await agent.beat();
  agent.end();
  agent.version = '2.0';
  agent.steps.clean = [offer('deploy.shred', 7)];
  await agent.beat();
  assert.deepEqual(agent.asked.slice(1), [
    'execute_clean_step erase',
    'execute_clean_step trim',
    'get_clean_steps',
    'execute_clean_step shred',
  ]);
  agent.end();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['available', null]);
});

test('cleaning fails if the agent rejects the hardware manager version that it reported', async (t) => {
  const { daemon, node, agent } = await inRamdisk(t, [step('deploy.erase')]);
  agent.stubborn = true;
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
  assert.match(
    daemon.node(node).last_error ?? '',
    /rejects the hardware manager versions that it reports itself/,
  );
});

test('a reboot requested by an agent step boots the ramdisk before the next step', async (t) => {
  const { daemon, node, agent } = await inRamdisk(t, [step('deploy.flash'), step('deploy.erase')]);
  await agent.beat();
  agent.end();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
  const { agent_url, agent_secret_token, cleaning_reboot } = daemon.node(node).driver_internal_info;
  assert.deepEqual([agent_url, agent_secret_token, cleaning_reboot], [undefined, undefined, true]);
  await agent.boot();
  await agent.beat();
  assert.deepEqual(agent.asked.slice(1), [
    'execute_clean_step flash',
    'get_clean_steps',
    'execute_clean_step erase',
  ]);
  assert.equal(daemon.node(node).driver_internal_info['cleaning_reboot'], undefined);
  agent.end();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
});

test('an interface step can reboot the ramdisk and repeat itself afterwards', async (t) => {
  const script = { wipe: ['reboot and repeat', 'done'], polish: 'reboot' };
  const clean_steps = [step('deploy.wipe'), step('deploy.polish'), step('deploy.idle')];
  const { daemon, node, agent } = await inRamdisk(t, clean_steps, { driver_info: script });
  const ran = () => daemon.notes(node).filter((note) => /^(wipe|polish|idle)/.test(note));
  await agent.beat();
  assert.deepEqual([ran(), await daemon.state(node)], [['wipe'], ['clean wait', 'manageable']]);
  await agent.boot();
  await agent.beat();
  assert.deepEqual(
    [ran(), await daemon.state(node)],
    [
      ['wipe', 'wipe', 'polish'],
      ['clean wait', 'manageable'],
    ],
  );
  await agent.boot();
  await agent.beat();
  assert.deepEqual(
    [ran(), await daemon.state(node)],
    [
      ['wipe', 'wipe', 'polish', 'idle'],
      ['manageable', null],
    ],
  );
});

test('if no ramdisk is running, the flow continues immediately after a reboot that a step requested', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', {
    driver_info: { factory_reset: ['reboot and repeat', 'done'], apply: 'reboot' },
  });
  await daemon.verb(node, 'clean', {
    clean_steps: [step('bios.factory_reset'), step('bios.apply', { settings: [] })],
  });
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
  assert.deepEqual(daemon.notes(node), ['factory_reset', 'factory_reset', 'apply {"settings":[]}']);
  assert.match(daemon.log(), /"target":"rebooting"/);
});

test('an unexpected ramdisk reboot fails the running agent step', async (t) => {
  const { daemon, node, agent } = await inRamdisk(t, [step('deploy.erase')]);
  await agent.beat();
  await agent.boot();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
  assert.match(daemon.node(node).last_error ?? '', /deploy\.erase failed: the ramdisk rebooted/);
});

test('an interface step without an agent command ends at the next heartbeat', async (t) => {
  const { daemon, node, agent } = await inRamdisk(t, [step('deploy.wipe')], {
    driver_info: { wipe: 'wait' },
  });
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
});

test('an unexpected ramdisk reboot fails an interface step that was passed on to the agent', async (t) => {
  const { daemon, node, agent } = await inRamdisk(t, [step('deploy.wipe')], {
    driver_info: { wipe: 'wait for agent' },
  });
  await agent.beat();
  assert.equal(daemon.node(node).driver_internal_info.agent_runs_step, true);
  await agent.boot();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
  assert.match(daemon.node(node).last_error ?? '', /deploy\.wipe failed: the ramdisk rebooted/);
});

test('a heartbeat in maintenance starts no step, and fails the flow if so configured', async (t) => {
  for (const allowed of [true, false]) {
    const daemon = await startStepping(t, { ini: `allow_provisioning_in_maintenance = ${allowed}\n` });
    const node = await daemon.stepping('manageable');
    const agent = await steppingAgent(t, daemon, node);
    agent.steps.clean = [offer('deploy.erase', 10)];
    await daemon.verb(node, 'clean', { clean_steps: [step('deploy.erase')] });
    await daemon.idle();
    await agent.boot();
    daemon.services.db.nodes.update(node, { maintenance: true });
    await agent.beat();
    assert.deepEqual(
      agent.asked.filter((asked) => !asked.startsWith('collect')),
      [],
    );
    assert.deepEqual(await daemon.state(node), [allowed ? 'clean wait' : 'clean failed', 'manageable']);
    await daemon.stop();
  }
});

test('a malformed list of agent steps fails cleaning', async (t) => {
  const { daemon, node, agent } = await inRamdisk(t, [step('deploy.erase')]);
  agent.steps.clean = [{ interface: 'deploy', step: 'erase' }];
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
  assert.match(daemon.node(node).last_error ?? '', /get_clean_steps: its answer lacks clean_steps/);
  assert.equal(daemon.node(node).maintenance, false);
});

test('fast track uses a running ramdisk immediately and keeps it running afterwards', async (t) => {
  const daemon = await startStepping(t, { ini: '[deploy]\nfast_track = true\n' });
  const node = await daemon.stepping('manageable');
  const agent = await steppingAgent(t, daemon, node);
  agent.steps.clean = [offer('deploy.erase', 10)];
  await agent.boot();
  await agent.beat();
  assert.deepEqual(agent.asked, []);
  await daemon.verb(node, 'clean', { clean_steps: [step('deploy.erase')] });
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
  assert.deepEqual(agent.asked, ['get_clean_steps', 'execute_clean_step erase']);
  agent.end();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
  assert.notEqual(daemon.node(node).driver_internal_info['agent_url'], undefined);
  // after five minutes without a heartbeat the ramdisk no longer counts as running
  await daemon.clock.advance(301_000);
  await daemon.verb(node, 'clean', { clean_steps: [step('deploy.erase')] });
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
  assert.equal(agent.asked.length, 2);
});

test("an agent's step with the name of a driver's step does not run in its place", async (t) => {
  const { daemon, node, agent } = await inRamdisk(t, [step('deploy.wipe'), step('deploy.erase')]);
  agent.steps.clean = [offer('deploy.wipe', 99), offer('deploy.erase', 10)];
  await agent.beat();
  assert.ok(daemon.notes(node).includes('wipe'), daemon.notes(node).join());
  assert.deepEqual(
    agent.asked.filter((command) => command.startsWith('execute')),
    ['execute_clean_step erase'],
  );
});

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { offer, steppingAgent } from '../../../../fakes/stepping-agent.ts';
import { startStepping, step } from '../../../../fakes/stepping-session.ts';

/** A node in manual cleaning with these steps, whose ramdisk has just booted. */
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

test('an agent that is busy is asked for its steps, and given one, at a later heartbeat', async (t) => {
  const { daemon, node, agent } = await inRamdisk(t, [step('deploy.erase')]);
  agent.busy = true;
  await agent.beat();
  assert.deepEqual([agent.asked, await daemon.state(node)], [[], ['clean wait', 'manageable']]);
  agent.busy = false;
  await agent.beat();
  assert.deepEqual(agent.asked, ['get_clean_steps', 'execute_clean_step erase']);
});

test('a step that a busy agent did not take is begun at its next heartbeat', async (t) => {
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

test('an agent with other hardware managers is asked for its steps anew, and given the same step once more', async (t) => {
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

test('automated cleaning begins anew with the steps of other hardware managers', async (t) => {
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

test('an agent that refuses its own version ends cleaning instead of being asked for ever', async (t) => {
  const { daemon, node, agent } = await inRamdisk(t, [step('deploy.erase')]);
  agent.stubborn = true;
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
  assert.match(
    daemon.node(node).last_error ?? '',
    /rejects the hardware manager versions that it reports itself/,
  );
});

test('after a step that asks for a reboot the ramdisk is booted again, and the next step runs there', async (t) => {
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

test('a step of an interface may want the ramdisk booted again, and to run again then', async (t) => {
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

test('without a ramdisk a step that wants a reboot gets one, and the flow goes on at once', async (t) => {
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

test('a ramdisk that boots by itself while its agent runs a step fails the step: nobody knows how far it came', async (t) => {
  const { daemon, node, agent } = await inRamdisk(t, [step('deploy.erase')]);
  await agent.beat();
  await agent.boot();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
  assert.match(daemon.node(node).last_error ?? '', /deploy\.erase failed: the ramdisk rebooted/);
});

test('a step that an interface hands to the ramdisk and that leaves no trace ends with its boot', async (t) => {
  const { daemon, node, agent } = await inRamdisk(t, [step('deploy.wipe')], {
    driver_info: { wipe: 'wait' },
  });
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
});

test('in maintenance a heartbeat is taken and nothing more is begun, or the flow ends, as configured', async (t) => {
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

test('an agent that answers nonsense to what its steps are ends cleaning', async (t) => {
  const { daemon, node, agent } = await inRamdisk(t, [step('deploy.erase')]);
  agent.steps.clean = [{ interface: 'deploy', step: 'erase' }];
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
  assert.match(daemon.node(node).last_error ?? '', /get_clean_steps: its answer lacks clean_steps/);
  assert.equal(daemon.node(node).maintenance, false);
});

test('a ramdisk that runs already is used at once where fast track is on, and stays when the flow has ended', async (t) => {
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
  // after five minutes of silence nobody counts on it any more
  await daemon.clock.advance(301_000);
  await daemon.verb(node, 'clean', { clean_steps: [step('deploy.erase')] });
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
  assert.equal(agent.asked.length, 2);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offer, steppingAgent } from '../../../fakes/machines/stepping-agent.ts';
import { startStepping, step } from '../../../fakes/machines/stepping-session.ts';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const ini =
  '[conductor]\ninspect_wait_timeout = 100\ncheck_provision_state_interval = 10\nsync_power_state_interval = 0\n';

async function waiting(daemon: InProcessDaemon): Promise<string> {
  const { uuid } = await daemon.createNode({ driver: 'lab' });
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable' });
  const path = `/v1/nodes/${uuid}/states/provision`;
  await daemon.request('PUT', path, { body: { target: 'inspect' } });
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'inspect wait');
  return uuid;
}

test('a missing ramdisk report fails the inspection at the timeout and powers the machine off', async (t) => {
  const daemon = await startInProcess(t, { ini, loops: true });
  const uuid = await waiting(daemon);
  await daemon.clock.advance(99_999);
  assert.equal(daemon.node(uuid).provision_state, 'inspect wait');
  await daemon.clock.advance(1);
  await daemon.idle();
  const { provision_state, last_error, power_state } = daemon.node(uuid);
  assert.deepEqual([provision_state, power_state], ['inspect failed', 'power off']);
  assert.match(last_error ?? '', /Timed out after 100 s.*nothing was heard from a ramdisk/);
});

test('a restart of the daemon does not extend the wait for a ramdisk', async (t) => {
  const first = await startInProcess(t, { ini, loops: true });
  const uuid = await waiting(first);
  await first.clock.advance(60_000);
  await first.stop();
  const second = await startInProcess(t, {
    ini,
    loops: true,
    clock: first.clock,
    stateDirectory: first.stateDirectory,
  });
  await second.clock.advance(39_999);
  assert.equal(second.node(uuid).provision_state, 'inspect wait');
  await second.clock.advance(1);
  await second.idle();
  assert.equal(second.node(uuid).provision_state, 'inspect failed');
});

test('a timeout is handled only after the maintenance of its node has ended and the lock of the node is free', async (t) => {
  const daemon = await startInProcess(t, { ini, loops: true });
  const uuid = await waiting(daemon);
  daemon.services.db.nodes.update(uuid, { maintenance: true });
  await daemon.clock.advance(150_000);
  assert.equal(daemon.node(uuid).provision_state, 'inspect wait');
  daemon.services.db.nodes.update(uuid, { maintenance: false });
  const release = daemon.services.locks.tryAcquire(uuid);
  await daemon.clock.advance(20_000);
  assert.equal(daemon.node(uuid).provision_state, 'inspect wait');
  release?.();
  await daemon.clock.advance(1000);
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'inspect failed');
});

test('the timeout has no effect after the inspection was aborted or the node was deleted', async (t) => {
  const daemon = await startInProcess(t, { ini, loops: true });
  const [aborted, deleted] = [await waiting(daemon), await waiting(daemon)];
  await daemon.request('PUT', `/v1/nodes/${aborted}/states/provision`, { body: { target: 'abort' } });
  await daemon.idle();
  daemon.services.db.nodes.update(deleted, { maintenance: true });
  await daemon.request('DELETE', `/v1/nodes/${deleted}`);
  await daemon.clock.advance(300_000);
  assert.equal(daemon.node(aborted).last_error, 'Inspection was aborted by request.');
  assert.doesNotMatch(daemon.log(), /timeout could not be handled/);
});

test('a timeout or check interval of 0 disables the timeout', async (t) => {
  for (const option of ['inspect_wait_timeout', 'check_provision_state_interval']) {
    const off = `[conductor]\nsync_power_state_interval = 0\n${option} = 0\n`;
    const daemon = await startInProcess(t, { ini: off, loops: true });
    const uuid = await waiting(daemon);
    await daemon.clock.advance(10_000_000);
    assert.equal(daemon.node(uuid).provision_state, 'inspect wait', option);
  }
});

const BOOT = [
  { hop: 'power', text: 'power changed: power on', missing: /Missing: a DHCP request/, boot: false },
  { hop: 'dhcp', text: 'got 10.0.0.21', missing: /Missing: its request for the boot loader/, boot: true },
  { hop: 'tftp', text: 'got snponly.efi', missing: /Missing: its next file over HTTP/, boot: true },
  {
    hop: 'http',
    text: 'got ramdisk',
    missing: /Missing: its ramdisk's first request to this service/,
    boot: true,
  },
  { hop: 'lookup', text: 'looked up', missing: /Missing: its agent's heartbeat/, boot: true },
] as const;

test('last_error names the last hop that was seen and the hop that is missing', async (t) => {
  for (const [index, { hop, text, missing, boot }] of BOOT.entries()) {
    const daemon = await startInProcess(t, { ini, loops: true });
    const uuid = await waiting(daemon);
    const { timeline } = daemon.services;
    for (const each of BOOT.slice(0, index + 1)) {
      await daemon.clock.advance(10);
      timeline.record({ hop: each.hop, node: uuid, text: each.text });
    }
    await daemon.clock.advance(100_000);
    await daemon.idle();
    const reason = daemon.node(uuid).last_error ?? '';
    if (boot) {
      assert.match(reason, missing);
      assert.match(reason, new RegExp(`Last seen: 2026-01-01T00:00:00.0${index + 1}0Z ${hop}: ${text}`));
    } else assert.match(reason, /nothing was heard from a ramdisk/);
  }
});

test('last_error names the last file that a machine got before its ramdisk asked for an address', async (t) => {
  const daemon = await startInProcess(t, { ini, loops: true });
  const uuid = await waiting(daemon);
  for (const [hop, text] of [
    ['dhcp', 'gets 10.0.0.21 and boot.ipxe'],
    ['http', 'sent ramdisk'],
    ['dhcp', 'gets 10.0.0.21 (os)'],
  ] as const)
    daemon.services.timeline.record({ hop, node: uuid, text });
  await daemon.clock.advance(100_000);
  await daemon.idle();
  assert.match(
    daemon.node(uuid).last_error ?? '',
    /http: sent ramdisk\. Missing: its ramdisk's first request to this service/,
  );
});

test('last_error shows a failed request of the boot', async (t) => {
  const daemon = await startInProcess(t, { ini, loops: true });
  const uuid = await waiting(daemon);
  daemon.services.timeline.record({
    hop: 'tftp',
    node: uuid,
    address: '10.0.0.21',
    text: 'asked for undionly.kpxe, which is not served',
    failed: true,
  });
  await daemon.clock.advance(100_000);
  await daemon.idle();
  assert.match(
    daemon.node(uuid).last_error ?? '',
    /10\.0\.0\.21 asked for undionly\.kpxe, which is not served\. Missing: what that request asked for/,
  );
});

const TIMEOUTS =
  'clean_callback_timeout = 100\nservice_callback_timeout = 200\ncheck_provision_state_interval = 10\n';

test('a missing ramdisk fails cleaning and service at the timeout, and last_error says what was last seen', async (t) => {
  const daemon = await startStepping(t, { ini: TIMEOUTS });
  for (const [verb, state, seconds, failed, target] of [
    ['clean', 'manageable', 100, 'clean failed', 'manageable'],
    ['service', 'active', 200, 'service failed', 'active'],
  ] as const) {
    const node = await daemon.stepping(state);
    await daemon.verb(node, verb, { [`${verb}_steps`]: [step('deploy.wipe')] });
    await daemon.idle();
    await daemon.clock.advance(seconds * 1000 - 1);
    assert.deepEqual(await daemon.state(node), [`${verb} wait`, target]);
    await daemon.clock.advance(1);
    assert.deepEqual(await daemon.state(node), [failed, target]);
    const { last_error, maintenance } = daemon.node(node);
    assert.match(
      last_error ?? '',
      new RegExp(
        `Nothing was heard for ${seconds} s .*${verb}_callback_timeout.*before the first step, the machine was "power on" and no ramdisk looked the node up`,
      ),
    );
    assert.equal(maintenance, false);
  }
});

test('heartbeats extend the timeout only while the agent answers requests', async (t) => {
  const daemon = await startStepping(t, { ini: TIMEOUTS });
  const node = await daemon.stepping('manageable');
  const agent = await steppingAgent(t, daemon, node);
  agent.steps.clean = [offer('deploy.erase', 0)];
  await daemon.verb(node, 'clean', { clean_steps: [step('deploy.erase')] });
  await daemon.idle();
  await agent.boot();
  for (let beats = 0; beats < 5; beats += 1) {
    await daemon.clock.advance(90_000);
    await agent.beat();
  }
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
  agent.unplug();
  await daemon.clock.advance(90_000);
  await agent.beat();
  await daemon.clock.advance(10_000);
  assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
  const { last_error, fault } = daemon.node(node);
  assert.match(
    last_error ?? '',
    /at step deploy\.erase, its agent at http.* sent its last heartbeat at 2026-.* and did not answer the request that followed \(The agent of node .* cannot be reached/,
  );
  assert.equal(fault, 'clean failure');
});

test('a cleaning timeout of 0 disables the timeout', async (t) => {
  const daemon = await startStepping(t, { ini: 'clean_callback_timeout = 0\n' });
  const node = await daemon.stepping('manageable');
  await daemon.verb(node, 'clean', { clean_steps: [step('deploy.wipe')] });
  await daemon.idle();
  await daemon.clock.advance(30 * 24 * 3600 * 1000);
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
});

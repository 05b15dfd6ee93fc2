import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { startFakeRedfish } from '#plugin-api/fake-redfish';
import { httpServer } from '../../../fakes/services/http-server.ts';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

/** A daemon with a machine whose BMC reaches the API through a real socket. */
async function lab(t: TestContext) {
  let daemon: InProcessDaemon | undefined;
  const { port } = await httpServer(t, async (message, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of message) chunks.push(chunk as Uint8Array);
    const answer = await daemon?.request('POST', message.url ?? '', {
      version: null,
      body: Buffer.concat(chunks).toString(),
      headers: { 'content-type': 'application/json' },
    });
    response.writeHead(answer?.status ?? 500).end();
  });
  daemon = await startInProcess(t, {
    loops: true,
    ini: `enabled_hardware_types = redfish,fake-hardware
[conductor]
sync_power_state_interval = 86400
force_power_state_during_sync = false
[bmc_events]
enabled = true
url = http://127.0.0.1:${port}
`,
  });
  const fake = await startFakeRedfish();
  t.after(() => fake.stop());
  const { uuid } = await daemon.createNode({
    driver: 'redfish',
    driver_info: { redfish_address: fake.address, redfish_username: 'admin', redfish_password: 'secret' },
  });
  await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target: 'manage' } });
  await daemon.idle();
  await daemon.clock.advance(600_000);
  while (daemon.node(uuid).driver_internal_info['redfish_event_subscription'] === undefined)
    await setImmediate();
  await daemon.idle();
  return { daemon, uuid, fake, url: [...fake.machine.subscriptions.values()][0]?.['Destination'] as string };
}

const texts = ({ services }: InProcessDaemon, node: string) => {
  services.timeline.flush();
  return services.db.machineEvents.ofNode(node, { since: 0, limit: 1000 }).map(({ text }) => text);
};

test('an event of the BMC is in the timeline, and the power state of the machine is read soon after', async (t) => {
  const { daemon, uuid, fake } = await lab(t);
  const reported = 'its BMC reported: The system was powered on.';
  fake.machine.health = 'Critical';
  fake.machine.reset('On');
  while (!texts(daemon, uuid).includes(reported)) await setImmediate();
  assert.equal(daemon.node(uuid).power_state, 'power off');
  await daemon.clock.advance(2000);
  while (daemon.node(uuid).power_state !== 'power on') await setImmediate();
  assert.equal(daemon.node(uuid).health, 'Critical');
});

test('a wrong token and an unknown node are both answered with 404, and the token is not in the log', async (t) => {
  const { daemon, uuid, url } = await lab(t);
  const path = new URL(url).pathname;
  const token = path.slice(path.lastIndexOf('/') + 1);
  const send = async (to: string) => (await daemon.request('POST', to, { body: { Events: [] } })).status;
  assert.equal(await send(path), 204);
  assert.equal(await send(path.replace(token, token.replaceAll(/[a-f]/g, '0'))), 404);
  assert.equal(await send(path.replace(uuid, '11111111-2222-4333-8444-555555555555')), 404);
  assert.equal(daemon.log().includes(token), false);
  assert.match(daemon.log(), /"path":"\/v1\/bmc_events\/:node\/:token","status":204/);
});

test('a flood of messages causes one reading of the machine, and a message that is too large is refused', async (t) => {
  const { daemon, uuid, url, fake } = await lab(t);
  const path = new URL(url).pathname;
  fake.bmc.forget();
  for (let times = 0; times < 50; times += 1)
    await daemon.request('POST', path, { body: { Events: [{ Message: `event ${times}` }] } });
  await daemon.idle();
  assert.equal(texts(daemon, uuid).filter((text) => text.includes('event ')).length, 20);
  fake.machine.health = 'Warning';
  await daemon.clock.advance(2000);
  while (daemon.node(uuid).health !== 'Warning') await setImmediate();
  assert.equal(fake.bmc.forget().filter((request) => request === `GET ${fake.bmc.paths.system}`).length, 1);
  const large = { Events: [{ Message: 'x'.repeat(65_536) }] };
  assert.equal((await daemon.request('POST', path, { body: large })).status, 413);
});

test('the subscription is deleted when its node is deleted, is handed over or gets another driver', async (t) => {
  const { daemon, uuid, url, fake } = await lab(t);
  const patch = [{ op: 'replace', path: '/driver', value: 'fake-hardware' }];
  const changed = await daemon.request('PATCH', `/v1/nodes/${uuid}?reset_interfaces=true`, { body: patch });
  assert.equal(changed.status, 200, changed.text);
  assert.equal(fake.machine.subscriptions.size, 0);
  assert.equal((await daemon.request('POST', new URL(url).pathname, { body: {} })).status, 404);
  const other = await lab(t);
  assert.equal((await other.daemon.request('DELETE', `/v1/nodes/${other.uuid}`)).status, 204);
  assert.equal(other.fake.machine.subscriptions.size, 0);
  const handed = await lab(t);
  const body = { handed_to: 'http://192.0.2.9:6385' };
  const { status } = await handed.daemon.request('POST', `/v1/nodes/${handed.uuid}/quarantine`, { body });
  assert.deepEqual([status, handed.fake.machine.subscriptions.size], [204, 0]);
});

test('a subscription that the BMC lost when it restarted is made again at the next check', async (t) => {
  const { daemon, fake, url } = await lab(t);
  fake.machine.subscriptions.clear();
  await daemon.clock.advance(600_000);
  while (fake.machine.subscriptions.size === 0) await setImmediate();
  await daemon.idle();
  assert.equal((await daemon.request('POST', new URL(url).pathname, { body: {} })).status, 404);
});

test('with [bmc_events] switched off, a starting daemon deletes the subscriptions and refuses later events', async (t) => {
  const { daemon, uuid, fake, url } = await lab(t);
  assert.equal(fake.machine.subscriptions.size, 1);
  await daemon.stop();
  const off = await startInProcess(t, {
    loops: true,
    stateDirectory: daemon.stateDirectory,
    // the clock jumps over the answers of the BMC, which a reading of the power state would take for silence
    ini: 'enabled_hardware_types = redfish,fake-hardware\n[bmc_events]\nenabled = false\n[conductor]\nsync_power_state_interval = 0\n',
  });
  await off.clock.advance(600_000);
  while (off.node(uuid).driver_internal_info['bmc_events_token_hash'] !== undefined) await setImmediate();
  assert.equal(fake.machine.subscriptions.size, 0);
  assert.equal(off.node(uuid).driver_internal_info['redfish_event_subscription'], undefined);
  const sent = await off.request('POST', new URL(url).pathname, { version: null, body: { Events: [] } });
  assert.equal(sent.status, 404);
});

import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { restartConsoles } from '../../../../daemon/conductor/hardware/console.ts';
import { startAbleSession, uuidOf } from '../../../fakes/daemon/able-session.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { refused } from '../../../fakes/clients/api-replies.ts';

const api = await startAbleSession({ after });

const show = async (node: string) => (await api.request('GET', `${node}/states/console`)).body;
const put = (node: string, enabled: unknown) =>
  api.request('PUT', `${node}/states/console`, { version: 1, body: { enabled } });
const disabled = { console_enabled: false, console_info: null };

test('a console is enabled, shown and disabled', async () => {
  const node = await api.createNode('able-hardware');
  assert.deepEqual(await show(node), disabled);
  const reply = await put(node, true);
  assert.equal(reply.status, 202);
  assert.match(reply.headers.get('location') ?? '', new RegExp(`${node}/states/console$`));
  assert.equal((await api.settled(node)).console_enabled, true);
  assert.deepEqual(await show(node), {
    console_enabled: true,
    console_info: { type: 'socat', url: 'tcp://192.0.2.1:10000' },
  });
  await put(node, 'false');
  assert.deepEqual((await api.settled(node)).driver_internal_info, { starts: 1, stops: 1 });
  assert.deepEqual(await show(node), disabled);
});

test('enabling an enabled console is accepted and changes nothing, even if the node is locked', async () => {
  const node = await api.createNode('able-hardware');
  await put(node, true);
  await api.settled(node);
  const release = api.services.locks.tryAcquire(uuidOf(node));
  assert.equal((await put(node, true)).status, 202);
  refused(await put(node, false), 409);
  release?.();
  assert.deepEqual((await api.settled(node)).driver_internal_info, { starts: 1 });
});

test('a console that fails to start stays disabled, and last_error has the reason', async () => {
  const node = await api.createNode('able-hardware', { driver_info: { failing: 'startConsole' } });
  assert.equal((await put(node, true)).status, 202);
  const stored = await api.settled(node);
  assert.equal(stored.console_enabled, false);
  assert.equal(
    stored.last_error,
    `Failed to enable the console: The console interface able of plugin able failed in startConsole on node ${node.slice(node.lastIndexOf('/') + 1)}: no luck with startConsole`,
  );
});

test('the fake console has empty console_info', async () => {
  const node = await api.createNode('fake-hardware');
  await put(node, true);
  await api.settled(node);
  assert.deepEqual(await show(node), { console_enabled: true, console_info: {} });
});

test('if the driver supports no console, PUT is refused and GET shows the console as disabled', async () => {
  const node = await api.createNode('manual-management');
  assert.match(refused(await put(node, true), 400), /does not support console/);
  assert.deepEqual(await show(node), disabled);
});

test('where another console interface could serve, the refusal names the command that chooses it', async (t) => {
  const daemon = await startInProcess(t);
  await daemon.createNode({ driver: 'ipmi', name: 'rack1-01' });
  const answer = await daemon.request('PUT', '/v1/nodes/rack1-01/states/console', {
    body: { enabled: true },
  });
  assert.match(
    refused(answer, 400),
    /^Driver ipmi does not support console with console_interface no-console\. Another one does: baremetal node set rack1-01 --console-interface ipmitool-socat\.$/,
  );
});

test('enabled is required and must be a boolean', async () => {
  const node = await api.createNode('able-hardware');
  for (const wrong of [undefined, null, 'sometimes']) refused(await put(node, wrong), 400);
});

test('the driver cannot change while the console is enabled', async () => {
  const node = await api.createNode('able-hardware', { console_enabled: true });
  const body = [{ op: 'replace', path: '/driver', value: 'fake-hardware' }];
  const refusal = refused(await api.request('PATCH', `${node}?reset_interfaces=true`, { body }), 409);
  assert.match(refusal, /while its console is enabled; disable the console first\.$/);
});

test('deleting a node succeeds even if its console fails to stop', async () => {
  const node = await api.createNode('able-hardware', { console_enabled: true });
  assert.equal((await api.request('DELETE', node)).status, 204);
  const stubborn = await api.createNode('able-hardware', {
    console_enabled: true,
    driver_info: { failing: 'stopConsole' },
  });
  assert.equal((await api.request('DELETE', stubborn)).status, 204);
  refused(await api.request('GET', stubborn), 404);
});

test('a console is stopped when its node is handed over to another service, and started when the node is back', async () => {
  const node = await api.createNode('able-hardware', { console_enabled: true });
  const handed = { body: { handed_to: 'http://192.0.2.9:6385' } };
  assert.equal((await api.request('POST', `${node}/quarantine`, handed)).status, 204);
  assert.deepEqual((await api.settled(node)).driver_internal_info, { stops: 1 });
  assert.equal(
    (await api.request('POST', `${node}/quarantine/release`, { body: { unchecked: true } })).status,
    200,
  );
  assert.deepEqual((await api.settled(node)).driver_internal_info, { stops: 1, starts: 1 });
});

test('enabled consoles restart with the daemon, and those that fail to start are disabled', async () => {
  const good = await api.createNode('able-hardware', { console_enabled: true });
  const bad = await api.createNode('able-hardware', {
    console_enabled: true,
    driver_info: { failing: 'startConsole' },
  });
  const off = await api.createNode('able-hardware');
  await restartConsoles(api.services);
  assert.deepEqual((await api.settled(good)).driver_internal_info, { starts: 1 });
  const failed = await api.settled(bad);
  assert.equal(failed.console_enabled, false);
  assert.match(
    failed.last_error ?? '',
    /start the console again: .* failed in startConsole on node .*: no luck/,
  );
  assert.deepEqual((await api.settled(off)).driver_internal_info, {});
});

import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { startAbleSession, uuidOf } from '../../../fakes/daemon/able-session.ts';
import { refused } from '../../../fakes/clients/api-replies.ts';

const api = await startAbleSession({ after });

const put = (node: string, what: string, target: unknown, version?: number) =>
  api.request('PUT', `${node}/states/${what}`, {
    body: { target },
    ...(version !== undefined && { version }),
  });

test('PUT states/boot_mode changes the boot mode in the background', async () => {
  const node = await api.createNode('able-hardware', { name: 'boot-mode' });
  const reply = await put('/v1/nodes/boot-mode', 'boot_mode', 'uefi');
  assert.equal(reply.status, 202);
  assert.equal(reply.headers.get('content-type'), null);
  assert.match(reply.headers.get('location') ?? '', /\/v1\/nodes\/boot-mode\/states$/);
  const { boot_mode: mode, last_error: error } = await api.settled(node);
  assert.deepEqual({ mode, error }, { mode: 'uefi', error: null });
});

test('PUT states/secure_boot changes secure boot in the background', async () => {
  const node = await api.createNode('able-hardware');
  const reply = await put(node, 'secure_boot', 'True');
  assert.equal(reply.status, 202);
  assert.match(reply.headers.get('location') ?? '', /\/states$/);
  await api.settled(node);
  const states = (await api.request('GET', `${node}/states`)).body as Record<string, unknown>;
  assert.equal(states['secure_boot'], true);
  assert.equal(
    'secure_boot' in ((await api.request('GET', `${node}/states`, { version: 74 })).body as object),
    false,
  );
});

test('a requested boot mode or secure boot state that the machine already has is only recorded', async () => {
  const node = await api.createNode('able-hardware');
  await put(node, 'boot_mode', 'bios');
  await api.settled(node);
  await put(node, 'secure_boot', false);
  const stored = await api.settled(node);
  assert.equal(stored.boot_mode, 'bios');
  assert.equal(stored.secure_boot, false);
  assert.deepEqual(stored.driver_internal_info, {});
});

test('a failure is recorded in last_error and history, and the next request clears last_error', async () => {
  const node = await api.createNode('able-hardware', { driver_info: { failing: 'setBootMode' } });
  assert.equal((await put(node, 'boot_mode', 'uefi')).status, 202);
  const failed = await api.settled(node);
  assert.equal(
    failed.last_error,
    `Failed to change boot mode to "uefi": The management interface able of plugin able failed in setBootMode on node ${node.slice(node.lastIndexOf('/') + 1)}: no luck with setBootMode`,
  );
  assert.equal(failed.boot_mode, null);
  const { history } = (await api.request('GET', `${node}/history?detail=true`)).json as {
    history: readonly { event: string; event_type: string }[];
  };
  assert.deepEqual(
    history.map(({ event, event_type: type }) => [event, type]),
    [[failed.last_error, 'boot mode']],
  );
  await put(node, 'secure_boot', true);
  assert.equal((await api.settled(node)).last_error, null);
});

test('a change of boot mode or secure boot that the driver does not support fails with last_error', async () => {
  const node = await api.createNode('fake-hardware');
  assert.equal((await put(node, 'boot_mode', 'uefi')).status, 202);
  assert.match((await api.settled(node)).last_error ?? '', /does not support set_boot_mode/);
  assert.equal((await put(node, 'secure_boot', true)).status, 202);
  assert.match((await api.settled(node)).last_error ?? '', /does not support set_secure_boot_state/);
});

test('boot mode and secure boot cannot be changed while the node is at work', async () => {
  const node = await api.createNode('able-hardware');
  for (const state of ['verifying', 'inspect wait', 'cleaning'] as const) {
    api.services.db.nodes.update(uuidOf(node), { provision_state: state });
    assert.match(refused(await put(node, 'boot_mode', 'uefi'), 409), new RegExp(`in state "${state}"`));
    refused(await put(node, 'secure_boot', true), 409);
  }
  assert.deepEqual((await api.settled(node)).driver_internal_info, {});
});

test('a locked node returns 409, and a node whose validation fails returns 500', async () => {
  const node = await api.createNode('able-hardware');
  const release = api.services.locks.tryAcquire(uuidOf(node));
  refused(await put(node, 'boot_mode', 'uefi'), 409);
  release?.();
  const invalid = await api.createNode('able-hardware', { driver_info: { failing: 'validate' } });
  assert.equal((await put(invalid, 'boot_mode', 'uefi')).status, 500);
});

test('PUT of boot_mode or secure_boot returns 404 before 1.76', async () => {
  const node = await api.createNode('able-hardware');
  for (const what of ['boot_mode', 'secure_boot']) refused(await put(node, what, 'x', 75), 404);
});

test('invalid targets and arguments are refused', async () => {
  const node = await api.createNode('able-hardware');
  assert.match(refused(await put(node, 'boot_mode', 'efi'), 400), /efi is not one of bios, uefi/);
  refused(await put(node, 'boot_mode', null), 400);
  refused(await put(node, 'boot_mode', undefined), 400);
  refused(await put(node, 'secure_boot', null), 400);
  refused(await put(node, 'secure_boot', 'perhaps'), 400);
  refused(await api.request('PUT', `${node}/states/boot_mode?target=uefi&x=1`), 400);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

test('PUT maintenance sets the reason, and DELETE clears the reason and the fault', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const path = `/v1/nodes/${uuid}/maintenance`;
  const shown = () => {
    const { maintenance, maintenance_reason, fault } = daemon.node(uuid);
    return [maintenance, maintenance_reason, fault];
  };
  assert.equal((await daemon.request('PUT', path, { body: { reason: 'disk' } })).status, 202);
  assert.deepEqual(shown(), [true, 'disk', null]);
  await daemon.request('PUT', path, { body: { reason: null } });
  assert.deepEqual(shown(), [true, null, null]);
  daemon.services.db.nodes.update(uuid, { fault: 'power failure' });
  assert.equal((await daemon.request('DELETE', path)).status, 202);
  assert.deepEqual(shown(), [false, null, null]);
  assert.equal((await daemon.request('PUT', path, { body: { reason: 5 } })).status, 400);
  assert.equal((await daemon.request('DELETE', '/v1/nodes/nobody/maintenance')).status, 404);
});

test('the boot device is shown, and set only if the machine supports it', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const path = `/v1/nodes/${uuid}/management/boot_device`;
  assert.deepEqual((await daemon.request('GET', path)).body, { boot_device: 'pxe', persistent: false });
  assert.deepEqual((await daemon.request('GET', `${path}/supported`)).body, {
    supported_boot_devices: ['pxe'],
  });
  const put = async (body: unknown) => (await daemon.request('PUT', path, { body })).status;
  assert.equal(await put({ boot_device: 'pxe', persistent: 'yes' }), 204);
  assert.equal(await put({ boot_device: 'pxe', persistent: null }), 204);
  const bad = [{}, { boot_device: 'disk' }, { boot_device: 'tape' }, { boot_device: 'pxe', persistent: 'x' }];
  for (const body of bad) assert.equal(await put(body), 400, JSON.stringify(body));
  assert.equal((await daemon.request('GET', '/v1/nodes/nobody/management/boot_device')).status, 404);
});

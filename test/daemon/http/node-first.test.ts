// Old forms of paths, in which the node's identifier stands at the end or in the middle: `states/N` for `N/states`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeFirst } from '../../../daemon/http/routing.ts';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

test('old forms of paths are rewritten with the node first, and the current forms are unchanged', () => {
  const forms = {
    'states/N': 'N/states',
    'states/power/N': 'N/states/power',
    'states/provision/N': 'N/states/provision',
    'states/raid/N': 'N/states/raid',
    'states/boot_mode/N': 'N/states/boot_mode',
    'states/secure_boot/N': 'N/states/secure_boot',
    'states/console/N': 'N/states/console',
    'states/N/console': 'N/states/console',
    'management/boot_device/N': 'N/management/boot_device',
    'management/boot_device/N/supported': 'N/management/boot_device/supported',
    'management/inject_nmi/N': 'N/management/inject_nmi',
    'management/indicators/N/led@system': 'N/management/indicators/led@system',
    'maintenance/N': 'N/maintenance',
    'vendor_passthru/N': 'N/vendor_passthru',
    'vendor_passthru/N/methods': 'N/vendor_passthru/methods',
  };
  for (const [old, present] of Object.entries(forms)) {
    assert.equal(nodeFirst(`/v1/nodes/${old}`), `/v1/nodes/${present}`);
    assert.equal(nodeFirst(`/v1/nodes/${present}`), `/v1/nodes/${present}`);
  }
});

test('other paths are unchanged', () => {
  for (const path of [
    '/v1/nodes',
    '/v1/nodes/states',
    '/v1/nodes/N/ports',
    '/v1/ports/states/N',
    '/v1/nodes/detail',
  ])
    assert.equal(nodeFirst(path), path);
});

test('old forms of paths answer like the current ones', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ name: 'one', provision_state: undefined });
  const cases: readonly (readonly [string, string, number, object?])[] = [
    ['GET', `states/${uuid}`, 200],
    ['PUT', 'states/power/one', 202, { target: 'power on' }],
    ['PUT', `states/provision/${uuid}`, 202, { target: 'manage' }],
    ['GET', `management/boot_device/${uuid}/supported`, 200],
    ['PUT', `management/boot_device/${uuid}`, 204, { boot_device: 'pxe' }],
    ['PUT', 'maintenance/one', 202, { reason: 'spare part' }],
    ['GET', `vendor_passthru/${uuid}/methods`, 200],
    ['GET', 'states/nobody', 404],
    ['PATCH', `states/${uuid}`, 405],
  ];
  for (const [method, path, status, body] of cases) {
    const answer = await daemon.request(method, `/v1/nodes/${path}`, body === undefined ? {} : { body });
    assert.equal(answer.status, status, `${method} ${path} ${answer.text}`);
    await daemon.idle();
  }
  const { provision_state, power_state, maintenance_reason } = daemon.node(uuid);
  assert.deepEqual(
    [provision_state, power_state, maintenance_reason],
    ['manageable', 'power on', 'spare part'],
  );
});

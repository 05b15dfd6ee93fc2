import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { NODE, startPopulated } from '../../../fakes/daemon/populated-api.ts';

const N = `/v1/nodes/${NODE}`;
const NOBODY = '/v1/nodes/00000000-0000-4000-8000-0000000000ff';
const NOTHING = '00000000-0000-4000-8000-0000000000ff';

// from the API reference: the first version, the status before that version and the status since then;
// the requests that write are refused and change nothing, except that DELETE of traits of a runbook succeeds
const endpoints: readonly (readonly [
  since: number,
  below: number | null,
  status: number,
  method: string,
  path: string,
  body?: unknown,
])[] = [
  [1, null, 200, 'GET', '/'],
  [1, null, 200, 'GET', '/v1'],
  [1, null, 200, 'GET', '/openapi.json'],
  [1, null, 200, 'GET', '/v1/nodes'],
  [1, null, 400, 'POST', '/v1/nodes', {}],
  [1, null, 200, 'GET', '/v1/nodes/detail'],
  [1, null, 400, 'GET', '/v1/nodes/validate'],
  [1, null, 404, 'GET', NOBODY],
  [1, null, 404, 'PATCH', NOBODY, []],
  [1, null, 404, 'DELETE', NOBODY],
  [1, null, 405, 'PUT', NOBODY],
  [1, null, 200, 'GET', `${N}/validate`],
  [1, null, 200, 'GET', `${N}/states`],
  [1, null, 400, 'PUT', `${N}/states/power`],
  [1, null, 400, 'PUT', `${N}/states/provision`],
  [12, 406, 400, 'PUT', `${N}/states/raid`, []],
  [76, 404, 400, 'PUT', `${N}/states/boot_mode`],
  [76, 404, 400, 'PUT', `${N}/states/secure_boot`],
  [1, null, 200, 'GET', `${N}/states/console`],
  [1, null, 400, 'PUT', `${N}/states/console`],
  [1, null, 426, 'GET', `${N}/states/console/socket`],
  [1, null, 200, 'GET', `${N}/management/boot_device`],
  [1, null, 400, 'PUT', `${N}/management/boot_device`],
  [1, null, 200, 'GET', `${N}/management/boot_device/supported`],
  [29, 404, 400, 'PUT', `${N}/management/inject_nmi`, { x: 1 }],
  [1, null, 200, 'GET', `${N}/management/indicators`],
  [1, null, 400, 'GET', `${N}/management/indicators/none`],
  [1, null, 400, 'PUT', `${N}/management/indicators/none`],
  [1, null, 400, 'PUT', `${N}/maintenance`, { x: 1 }],
  [1, null, 404, 'DELETE', `${NOBODY}/maintenance`],
  [1, null, 200, 'GET', `${N}/vendor_passthru/methods`],
  [1, null, 400, 'POST', `${N}/vendor_passthru`],
  [1, null, 400, 'GET', `${N}/vendor_passthru/none`],
  [37, 406, 200, 'GET', `${N}/traits`],
  [37, 405, 400, 'PUT', `${N}/traits`],
  [37, 404, 404, 'DELETE', `${NOBODY}/traits`],
  [37, 405, 400, 'PUT', `${N}/traits/none`],
  [37, 404, 404, 'DELETE', `${N}/traits/none`],
  [28, 404, 200, 'GET', `${N}/vifs`],
  [28, 404, 400, 'POST', `${N}/vifs`],
  [28, 404, 400, 'DELETE', `${N}/vifs/none`],
  [40, 404, 200, 'GET', `${N}/bios`],
  [40, 404, 404, 'GET', `${N}/bios/none`],
  [86, 404, 200, 'GET', `${N}/firmware`],
  [78, 404, 200, 'GET', `${N}/history`],
  [78, 404, 404, 'GET', `${N}/history/none`],
  [81, 404, 200, 'GET', `${N}/inventory`],
  [83, 404, 200, 'GET', `${N}/children`],
  [93, 404, 200, 'GET', `${N}/vmedia`],
  [89, 404, 400, 'POST', `${N}/vmedia`],
  [89, 404, 400, 'DELETE', `${N}/vmedia?device_types=none`],
  [52, 404, 404, 'GET', `${N}/allocation`],
  [52, 404, 404, 'DELETE', `${N}/allocation`],
  [1, null, 200, 'GET', `${N}/ports`],
  [1, null, 200, 'GET', `${N}/ports/detail`],
  [24, 404, 200, 'GET', `${N}/portgroups`],
  [24, 404, 200, 'GET', `${N}/portgroups/detail`],
  [32, 404, 200, 'GET', `${N}/volume`],
  [32, 404, 200, 'GET', `${N}/volume/connectors`],
  [32, 404, 200, 'GET', `${N}/volume/targets`],
  [1, null, 200, 'GET', '/v1/ports'],
  [1, null, 200, 'GET', '/v1/ports/detail'],
  [1, null, 400, 'POST', '/v1/ports', {}],
  [1, null, 404, 'GET', `/v1/ports/${NOTHING}`],
  [1, null, 404, 'PATCH', `/v1/ports/${NOTHING}`, []],
  [1, null, 404, 'DELETE', `/v1/ports/${NOTHING}`],
  [23, 404, 200, 'GET', '/v1/portgroups'],
  [23, 404, 200, 'GET', '/v1/portgroups/detail'],
  [23, 404, 400, 'POST', '/v1/portgroups', {}],
  [23, 404, 400, 'GET', '/v1/portgroups/:'],
  [23, 404, 400, 'PATCH', '/v1/portgroups/bond', {}],
  [23, 404, 400, 'DELETE', '/v1/portgroups/:'],
  [24, 404, 200, 'GET', '/v1/portgroups/bond/ports'],
  [24, 404, 200, 'GET', '/v1/portgroups/bond/ports/detail'],
  [1, null, 200, 'GET', '/v1/chassis'],
  [1, null, 200, 'GET', '/v1/chassis/detail'],
  [1, null, 400, 'POST', '/v1/chassis', { x: 1 }],
  [1, null, 404, 'GET', `/v1/chassis/${NOTHING}`],
  [1, null, 404, 'PATCH', `/v1/chassis/${NOTHING}`, []],
  [1, null, 404, 'DELETE', `/v1/chassis/${NOTHING}`],
  [1, null, 404, 'GET', `/v1/chassis/${NOTHING}/nodes`],
  [1, null, 404, 'GET', `/v1/chassis/${NOTHING}/nodes/detail`],
  [1, null, 200, 'GET', '/v1/drivers'],
  [1, null, 404, 'GET', '/v1/drivers/none'],
  [1, null, 404, 'GET', '/v1/drivers/none/properties'],
  [12, 406, 404, 'GET', '/v1/drivers/none/raid/logical_disk_properties'],
  [1, null, 404, 'GET', '/v1/drivers/none/vendor_passthru/methods'],
  [1, null, 404, 'GET', '/v1/drivers/none/vendor_passthru/x'],
  [49, 404, 200, 'GET', '/v1/conductors'],
  [49, 404, 200, 'GET', '/v1/conductors/lab-host'],
  [82, 404, 200, 'GET', '/v1/shards'],
  [54, 404, 400, 'POST', '/v1/events', {}],
  [52, 404, 200, 'GET', '/v1/allocations'],
  [52, 404, 200, 'GET', '/v1/allocations/use'],
  [52, 405, 400, 'POST', '/v1/allocations', {}],
  [57, 405, 400, 'PATCH', '/v1/allocations/use', {}],
  [52, 405, 404, 'DELETE', '/v1/allocations/none'],
  [32, 404, 200, 'GET', '/v1/volume'],
  ...(['connectors', 'targets'] as const).flatMap(
    (kind) =>
      [
        [32, 404, 200, 'GET', `/v1/volume/${kind}`],
        [32, 404, 400, 'POST', `/v1/volume/${kind}`, {}],
        [32, 404, 400, 'GET', `/v1/volume/${kind}/none`],
        [32, 404, 400, 'PATCH', `/v1/volume/${kind}/none`, {}],
        [32, 404, 400, 'DELETE', `/v1/volume/${kind}/none`],
      ] as const,
  ),
  ...(
    [
      ['deploy_templates', 55, 'CUSTOM_TEMPLATE'],
      ['runbooks', 92, 'CUSTOM_RUNBOOK'],
    ] as const
  ).flatMap(
    ([kind, since, name]) =>
      [
        [since, 404, 200, 'GET', `/v1/${kind}`],
        [since, 404, 200, 'GET', `/v1/${kind}/${name}`],
        [since, 405, 400, 'POST', `/v1/${kind}`, {}],
        [since, 405, 400, 'PATCH', `/v1/${kind}/${name}`, {}],
        [since, 405, 404, 'DELETE', `/v1/${kind}/none`],
      ] as const,
  ),
  [112, 404, 200, 'GET', '/v1/runbooks/CUSTOM_RUNBOOK/traits'],
  [112, 404, 400, 'PUT', '/v1/runbooks/CUSTOM_RUNBOOK/traits'],
  [112, 404, 204, 'DELETE', '/v1/runbooks/CUSTOM_RUNBOOK/traits'],
  [112, 404, 400, 'PUT', '/v1/runbooks/CUSTOM_RUNBOOK/traits/none'],
  [112, 404, 204, 'DELETE', '/v1/runbooks/CUSTOM_RUNBOOK/traits/none'],
  [96, 404, 200, 'GET', '/v1/inspection_rules'],
  [96, 404, 400, 'GET', '/v1/inspection_rules/none'],
  [96, 405, 400, 'POST', '/v1/inspection_rules', {}],
  [96, 405, 400, 'PATCH', '/v1/inspection_rules/none', {}],
  [96, 405, 400, 'DELETE', '/v1/inspection_rules/none'],
  [22, 404, 400, 'GET', '/v1/lookup'],
  [22, 404, 400, 'POST', '/v1/heartbeat'],
  [22, 404, 400, 'POST', `/v1/heartbeat/${NODE}`],
];

const versions = Array.from({ length: 115 }, (_, at) => at + 1);
const api = await startPopulated({ after });

for (const [since, below, status, method, path, body] of endpoints) {
  test(`${method} ${path} returns ${status} since 1.${since}`, async () => {
    for (const version of versions) {
      const answer = await api.request(method, path, { version, body });
      const which = `1.${version} ${answer.text}`;
      assert.equal(answer.status, version < since ? below : status, which);
      const tooOld = /needs API version|minimal required API version|from API 1\./.test(answer.fault);
      assert.equal(tooOld, version < since, which);
    }
  });
}

test('DELETE /v1/inspection_rules returns 405 before 1.96 and 204 since then', async () => {
  for (const version of [1, 95]) {
    assert.equal((await api.request('DELETE', '/v1/inspection_rules', { version })).status, 405);
  }
  assert.equal((await api.request('DELETE', '/v1/inspection_rules', { version: 96 })).status, 204);
});

test('continue_inspection exists at 1.1, for old agents, and since 1.84', async () => {
  const { body: node } = await api.request('POST', '/v1/nodes', { body: { driver: 'fake-hardware' } });
  api.services.db.nodes.update(node.uuid, { provision_state: 'inspect wait' });
  for (const version of versions) {
    const { status } = await api.request('POST', '/v1/continue_inspection', { version, body: {} });
    assert.equal(status, version === 1 || version >= 84 ? 400 : 404, `1.${version}`);
  }
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { renewEventUrl } from '../../../daemon/conductor/bmc-events/event-token.ts';
import { withTask } from '../../../daemon/conductor/tasks/run-task.ts';
import type { SocketService } from '../../../daemon/lib/socket-service.ts';
import { DaemonProcess } from '../../fakes/daemon/daemon-process.ts';
import { scriptedProgram } from '../../fakes/machines/open-line.ts';
import { describedOperations } from '../../fakes/clients/described-operations.ts';
import { pluginFolder, pluginManifest } from '../../fakes/plugin-folder.ts';
import {
  ACTIVE,
  ALLOCATION,
  CHASSIS,
  CHILD,
  CONNECTOR,
  HISTORY,
  NODE,
  PORT,
  PORTGROUP,
  RULE,
  startPopulated,
  TARGET,
} from '../../fakes/daemon/populated-api.ts';
import { openApiSpecValidator, skipWithoutOpenApiTools } from '../../setup/openapi-tools.ts';

const api = await startPopulated({ after });
api.services.timeline.record({ hop: 'dhcp', mac: '52:54:00:00:00:99', text: 'asked for an address' });
const { text, json: document } = await api.request('GET', '/openapi.json', { version: null });
const described = describedOperations(document as Readonly<Record<string, unknown>>);

test('the document is valid OpenAPI 3.1', { skip: skipWithoutOpenApiTools() }, () => {
  const file = join(api.stateDirectory, 'openapi.json');
  writeFileSync(file, text);
  assert.match(execFileSync(openApiSpecValidator, [file], { encoding: 'utf8' }), /OK$/m);
  rmSync(file);
});

const STEP = { interface: 'bios', step: 'apply_configuration', args: {} };
const N = `/v1/nodes/${NODE}`;
const describe = [{ op: 'add', path: '/extra/a', value: 1 }];
const everyVerb = (place: string, name: string): readonly Call[] =>
  ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method): readonly Call[] => [
    [method, `${place}?method=${name}`],
    [method, `${place}/${name}`],
  ]);

type Call = readonly [method: string, path: string, body?: unknown, version?: number];

// paths without a leading slash are below the node
const shown: readonly Call[] = `
/ /v1 /openapi.json /v1/nodes /v1/nodes/detail /v1/nodes?detail=true&limit=1 /v1/nodes?fields=uuid,health
/v1/chassis/${CHASSIS}/nodes /v1/chassis/${CHASSIS}/nodes/detail /v1/nodes/validate?node=machine
${N} ${N}?fields=driver validate states states/console states/console/log management/boot_device
management/boot_device/supported management/indicators management/indicators/uid@chassis
history history?limit=1 history/detail history/${HISTORY} inventory
bios bios?detail=true bios?fields=value bios/VT firmware vmedia vifs traits children
vendor_passthru/methods volume volume/connectors volume/targets cleaning/steps cleaning/steps?min_priority=1 timeline timeline?since=1&limit=2
ports ports/detail portgroups portgroups/detail
/v1/drivers /v1/drivers?detail=true /v1/drivers?type=classic /v1/drivers/able-hardware
/v1/drivers/able-hardware/properties /v1/drivers/able-hardware/raid/logical_disk_properties
/v1/drivers/able-hardware/vendor_passthru/methods
/v1/ports /v1/ports/detail /v1/ports/${PORT} /v1/ports/nic?fields=address
/v1/portgroups /v1/portgroups/detail /v1/portgroups/${PORTGROUP}
/v1/portgroups/bond/ports /v1/portgroups/bond/ports/detail
/v1/conductors /v1/conductors?detail=true /v1/conductors/lab-host
/v1/chassis /v1/chassis/detail /v1/chassis/${CHASSIS}
/v1/volume /v1/volume/connectors /v1/volume/connectors/${CONNECTOR}
/v1/volume/targets /v1/volume/targets/${TARGET} /v1/shards
/v1/deploy_templates /v1/deploy_templates?detail=true /v1/deploy_templates/CUSTOM_TEMPLATE
/v1/runbooks /v1/runbooks?detail=true /v1/runbooks/CUSTOM_RUNBOOK /v1/runbooks/CUSTOM_RUNBOOK/traits
/v1/inspection_rules /v1/inspection_rules?detail=true /v1/inspection_rules/${RULE}
/v1/allocations /v1/allocations/${ALLOCATION}
/v1/unknown_machines /v1/unknown_machines/52:54:00:00:00:99/timeline
/v1/nodes/${ACTIVE}/allocation /v1/nodes/${ACTIVE}/allocation?fields=state`
  .trim()
  .split(/\s+/)
  .map((path): Call => ['GET', path.startsWith('/') ? path : `${N}/${path}`]);

/** Requests that change or plan something, and GETs of what was changed, in an order in which each succeeds. */
const changing: readonly Call[] = [
  ['POST', '/v1/nodes', { driver: 'fake-hardware', uuid: '00000000-0000-4000-8000-0000000000aa' }],
  ['PATCH', N, describe],
  ['DELETE', `/v1/nodes/${CHILD}`],
  ['POST', `${N}/inventory/reprocess`, { dry_run: true }],
  ['POST', `${N}/steps/plan`, { target: 'provide' }],
  ['PUT', `${N}/states/power`, { target: 'power on' }],
  ['POST', `${N}/steps/plan`, { target: 'clean', clean_steps: [STEP, { ...STEP, step: 'hold' }] }],
  ['POST', `${N}/steps/plan`, { target: 'provide' }],
  ['PUT', `${N}/states/provision`, { target: 'provide' }],
  ['PUT', `${N}/management/boot_device`, { boot_device: 'pxe' }],
  ['PUT', `${N}/maintenance`, { reason: null }],
  ['DELETE', `${N}/maintenance`],
  ['PUT', `${N}/states/raid`, { logical_disks: [{ raid_level: '1', size_gb: 'MAX' }] }],
  ['PUT', `${N}/states/boot_mode`, { target: 'uefi' }],
  ['PUT', `${N}/states/secure_boot`, { target: true }],
  ['PUT', `${N}/states/console`, { enabled: true }],
  ['GET', `${N}/states/console`],
  ['PUT', `${N}/management/indicators/uid@chassis`, { state: 'on' }],
  ['PUT', `${N}/management/inject_nmi`],
  ['POST', `${N}/vmedia`, { device_type: 'cdrom', image_url: 'http://x/y', image_download_source: 'http' }],
  ['GET', `${N}/vmedia`],
  ['DELETE', `${N}/vmedia?device_types=cdrom`],
  ['POST', `${N}/vifs`, { id: 'vif' }],
  ['GET', `${N}/vifs`],
  ['DELETE', `${N}/vifs/vif`],
  ...everyVerb(`${N}/vendor_passthru`, 'echo'),
  ['POST', `${N}/vendor_passthru/keep`],
  ...everyVerb('/v1/drivers/able-hardware/vendor_passthru', 'repeat'),
  ['PUT', `${N}/traits`, { traits: ['CUSTOM_A'] }],
  ['PUT', `${N}/traits/CUSTOM_B`],
  ['GET', `${N}/traits`],
  ['DELETE', `${N}/traits/CUSTOM_B`],
  ['DELETE', `${N}/traits`],
  ['POST', '/v1/ports', { address: '52:54:00:00:00:02', node_ident: 'machine' }],
  ['PATCH', `/v1/ports/${PORT}`, describe],
  ['PATCH', `/v1/portgroups/${PORTGROUP}`, describe],
  ['DELETE', `/v1/ports/${PORT}`],
  ['DELETE', `/v1/portgroups/${PORTGROUP}`],
  ['POST', '/v1/portgroups', { node_uuid: NODE }],
  ['POST', '/v1/chassis', {}],
  ['PATCH', `/v1/chassis/${CHASSIS}`, describe],
  ['PATCH', N, [{ op: 'remove', path: '/chassis_uuid' }]],
  ['DELETE', `/v1/chassis/${CHASSIS}`],
  ['PUT', `${N}/states/power`, { target: 'power off' }],
  ['PATCH', `/v1/volume/connectors/${CONNECTOR}`, describe],
  ['DELETE', `/v1/volume/connectors/${CONNECTOR}`],
  ['POST', '/v1/volume/connectors', { node_uuid: NODE, type: 'ip', connector_id: '192.0.2.1' }],
  ['PATCH', `/v1/volume/targets/${TARGET}`, describe],
  ['DELETE', `/v1/volume/targets/${TARGET}`],
  ['POST', '/v1/volume/targets', { node_uuid: NODE, volume_type: 'iscsi', volume_id: 'w', boot_index: 1 }],
  ['PATCH', '/v1/deploy_templates/CUSTOM_TEMPLATE', describe],
  ['DELETE', '/v1/deploy_templates/CUSTOM_TEMPLATE'],
  ['POST', '/v1/deploy_templates', { name: 'CUSTOM_X', steps: [{ ...STEP, priority: '2' }] }],
  ['PATCH', '/v1/runbooks/CUSTOM_RUNBOOK', describe],
  ['PUT', '/v1/runbooks/CUSTOM_RUNBOOK/traits', { traits: ['CUSTOM_A'] }],
  ['PUT', '/v1/runbooks/CUSTOM_RUNBOOK/traits/CUSTOM_B'],
  ['DELETE', '/v1/runbooks/CUSTOM_RUNBOOK/traits/CUSTOM_B'],
  ['DELETE', '/v1/runbooks/CUSTOM_RUNBOOK/traits'],
  ['DELETE', '/v1/runbooks/CUSTOM_RUNBOOK'],
  ['POST', '/v1/runbooks', { name: 'free', steps: [{ ...STEP, order: '3' }], description: 'd' }],
  ['PATCH', `/v1/inspection_rules/${RULE}`, [{ op: 'add', path: '/sensitive', value: true }]],
  ['GET', `/v1/inspection_rules/${RULE}`],
  ['DELETE', `/v1/inspection_rules/${RULE}`],
  ['POST', '/v1/inspection_rules', { actions: [{ op: 'fail', args: { msg: 'no' } }] }],
  ['DELETE', '/v1/inspection_rules'],
  ['PATCH', '/v1/allocations/use', describe],
  ['PUT', `/v1/nodes/${ACTIVE}/maintenance`],
  ['DELETE', `/v1/nodes/${ACTIVE}/allocation`],
  ['POST', '/v1/allocations', { name: 'second', resource_class: 'none' }],
  ['DELETE', '/v1/allocations/second'],
  ['PUT', '/v1/unknown_machines/52:54:00:00:00:99', { ignored: true }],
  [
    'POST',
    '/v1/events',
    {
      events: [
        { event: 'network.bind_port', port_id: PORT, mac_address: '52:54:00:00:00:01', status: 'ACTIVE' },
      ],
    },
  ],
];

const heartbeat = { callback_url: 'https://192.0.2.1:9999', agent_version: '9', agent_token: '' };

const succeeded = new Set<string>();

async function call([method, path, body, version = 115]: Call) {
  const operation = described.find(method, path);
  const answer = await api.request(method, path, { body, version });
  described.judge(operation, version, answer);
  if (answer.status < 300) succeeded.add(operation.id);
  if (answer.status < 300 && body !== undefined) described.judgeBody(operation, version, body);
  return answer;
}

test('GET answers match the document exactly at every version that changed them', async () => {
  for (const [method, path] of shown) {
    const operation = described.find(method, path);
    const { since } = operation;
    const plain = !path.includes('?');
    for (const version of described.turningPoints(operation)) {
      const { status } = await call([method, path, undefined, version]);
      if (plain && version >= Math.max(since, path.includes('machine') ? 5 : 1))
        assert.equal(status, 200, `${path} 1.${version}`);
      if (version < since) assert.ok(status >= 400, `${path} 1.${version}`);
    }
  }
});

test('requests that change something and their answers match the document', async () => {
  for (const each of changing) {
    const { status, text: said } = await call(each);
    assert.ok(status < 300, `${each[0]} ${each[1]} ${status} ${said}`);
    await api.services.workers.idle();
  }
});

test('requests of ramdisks and their answers match the document', async () => {
  const { nodes } = api.services.db;
  nodes.update(NODE, { provision_state: 'inspect wait', target_provision_state: 'manageable' });
  const looked = await call(['GET', `/v1/lookup?node_uuid=${NODE}`]);
  const { agent_token } = looked.body['config'] as { agent_token: string };
  await call(['POST', `/v1/heartbeat/${NODE}`, { ...heartbeat, agent_token }]);
  await call(['POST', '/v1/heartbeat', { ...heartbeat, agent_token, node_ident: NODE }]);
  const report = { inventory: { interfaces: [{ name: 'eth0', mac_address: '52:54:00:00:00:02' }] } };
  await call(['POST', `/v1/continue_inspection?node_uuid=${NODE}`, report]);
  await api.services.workers.idle();
});

test('the document and the answer give the event stream the content type text/event-stream', async () => {
  const operation = described.find('GET', '/v1/events/stream');
  const headers = { accept: 'text/event-stream' };
  const answer = await api.app.fetch(new Request('http://ironic.test/v1/events/stream', { headers }));
  await answer.body?.cancel();
  assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream\b/);
  const { paths } = document as {
    readonly paths: Readonly<
      Record<string, { readonly get: { readonly responses: Readonly<Record<string, object>> } }>
    >;
  };
  const described200 = paths['/v1/events/stream']?.get.responses['200'] as { readonly content: object };
  assert.deepEqual(Object.keys(described200.content), ['text/event-stream']);
  succeeded.add(operation.id);
});

test('the document says that a console is a WebSocket, and how a request without an upgrade is refused', async (t) => {
  const path = `${N}/states/console/socket`;
  const operation = described.find('GET', path);
  described.judge(operation, 115, await api.request('GET', path));
  const { consoles } = api.services;
  await consoles.open(NODE, async () => scriptedProgram('setInterval(() => {}, 60_000)'));
  t.after(() => consoles.close(NODE, 'The test is over.'));
  const accepted: SocketService[] = [];
  const upgrade = (service: SocketService) => void accepted.push(service);
  await api.app.fetch(new Request(`http://ironic.test${path}`), { upgrade });
  assert.equal(accepted.length, 1);
  accepted[0]?.closed();
  assert.deepEqual(
    Object.keys(operation.responses).filter((status) => status < '400'),
    ['101'],
  );
  assert.ok('426' in operation.responses);
  assert.ok(!('426' in described.find('GET', N).responses));
  succeeded.add(operation.id);
});

test('events that a BMC sends match the document', async () => {
  const url = await withTask({ services: api.services, caller: null }, NODE, renewEventUrl);
  assert.equal((await call(['POST', new URL(url).pathname, { Events: [] }])).status, 204);
});

test('the list of plugins and the reload of a plugin match the document', async (t) => {
  const entryPoints = { 'ironic.hardware.interfaces.power': { acme: './power.ts:acmePower' } };
  const hardwareTypes = { acme: { extends: 'fake-hardware', supported: { power: ['acme'] } } };
  const directory = pluginFolder(t, {
    'acme/plugin.json': pluginManifest('acme', { entryPoints, hardwareTypes }),
    'acme/power.ts': "import { definePower } from '#plugin-api'; export const acmePower = definePower({});",
  });
  await using daemon = await DaemonProcess.start({ IRONIC_PLUGINS__PATH: directory });
  for (const [method, path] of [
    ['GET', '/v1/plugins'],
    ['POST', '/v1/plugins/acme/reload'],
  ] as const) {
    const { status, body } = await daemon.request(method, path);
    assert.equal(status, 200, JSON.stringify(body));
    const operation = described.find(method, path);
    described.judge(operation, 115, { status, text: JSON.stringify(body), json: body });
    succeeded.add(operation.id);
  }
});

test('quarantine and release match the document', async () => {
  const { quarantine } = api.services.db;
  quarantine.addAll('2026-01-01T00:00:00+00:00', 'quarantine: from a backup.');
  assert.equal((await call(['GET', '/v1/quarantine'])).status, 200);
  const released = await call(['POST', `${N}/quarantine/release`, { unchecked: true }]);
  const handed = await call(['POST', `${N}/quarantine`, { handed_to: 'http://192.0.2.9:6385' }]);
  assert.equal(handed.status, 204);
  await call(['POST', `${N}/quarantine/release`, { unchecked: true }]);
  assert.equal(released.status, 200, released.text);
});

test('every operation of the document succeeded in a test above', () => {
  const missed = described.operations.map(({ id }) => id).filter((id) => !succeeded.has(id));
  assert.deepEqual(missed, []);
  assert.equal(new Set(described.operations.map(({ id }) => id)).size, described.operations.length);
});

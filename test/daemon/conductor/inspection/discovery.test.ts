// Auto-discovery: an unknown machine's first report creates a node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../daemon/model/json.ts';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { GENERIC, MAC } from '../../../ramdisk-callback/waiting-node.ts';

const ini = '[auto_discovery]\nenabled = true\ndriver = lab\n';
const other = '52:54:00:00:00:02';

const reportOf = (macs: readonly string[], more: object = {}) => ({
  inventory: {
    interfaces: macs.map((mac_address, index) => ({ name: `eth${index}`, mac_address, has_carrier: true })),
    cpu: { architecture: 'x86_64', count: 4 },
    memory: { physical_mb: 1024 },
    boot: { pxe_interface: macs[0] ?? '' },
    ...more,
  },
  boot_interface: macs[0] ?? '',
});

const report = (daemon: InProcessDaemon, body: object, options: object = {}) =>
  daemon.request('POST', '/v1/continue_inspection', { version: null, body, ...options });

async function discovered(daemon: InProcessDaemon): Promise<readonly JsonObject[]> {
  const { body } = await daemon.request('GET', '/v1/nodes/detail?auto_discovered=true');
  return body['nodes'] as readonly JsonObject[];
}

test('an unknown machine becomes a node in enroll, with a port, properties and inventory', async (t) => {
  const daemon = await startInProcess(t, { ini });
  const answer = await report(daemon, reportOf([MAC, other]));
  assert.equal(answer.status, 202, answer.text);
  const uuid = answer.body['uuid'];
  await daemon.idle();
  const node = daemon.node(uuid);
  assert.deepEqual(
    [node.provision_state, node.target_provision_state, node.driver, node.auto_discovered, node.last_error],
    ['enroll', null, 'lab', true, null],
  );
  assert.equal(node.properties['cpu_arch'], 'x86_64');
  assert.deepEqual(
    daemon.services.db.ports.ofNode(uuid).map((port) => port.address),
    [MAC],
  );
  const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/inventory`);
  assert.equal((body['plugin_data'] as JsonObject)['auto_discovered'], true);
  const again = await report(daemon, reportOf([MAC, other]));
  assert.deepEqual([again.status, again.text.includes(GENERIC)], [404, true]);
  assert.deepEqual(
    (await discovered(daemon)).map((each) => each['uuid']),
    [uuid],
  );
});

test('with API version 1.84, the answer to a report contains the node and the agent token', async (t) => {
  const daemon = await startInProcess(t, { ini });
  const { status, body } = await report(daemon, reportOf([MAC]), { version: 84 });
  assert.equal(status, 202);
  const { node, config } = body as unknown as { node: { uuid: string }; config: { agent_token: string } };
  assert.match(config.agent_token, /^[\w-]{43}$/);
  await daemon.idle();
  assert.equal(daemon.node(node.uuid).provision_state, 'enroll');
});

test('concurrent reports of a machine create one node: one report is accepted, the others are answered with 409', async (t) => {
  const daemon = await startInProcess(t, { ini });
  const answers = await Promise.all([
    report(daemon, reportOf([MAC, other])),
    report(daemon, reportOf([other, MAC])),
    report(daemon, reportOf([other])),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [202, 409, 409],
  );
  await daemon.idle();
  assert.equal((await discovered(daemon)).length, 1);
});

const macOf = (at: number) => `52:54:00:00:01:0${at}`;
const broken = (macs: readonly string[]) => ({ ...reportOf(macs), error: 'the collector broke' });

async function failedDiscovery(daemon: InProcessDaemon, macs: readonly string[]) {
  const answer = await report(daemon, broken(macs));
  assert.equal(answer.status, 202, answer.text);
  await daemon.idle();
  return answer.body['uuid'];
}

test('failed hooks leave a node without ports and with last_error, and the next report reuses the node', async (t) => {
  const daemon = await startInProcess(t, { ini });
  const uuid = await failedDiscovery(daemon, [MAC, other]);
  const { provision_state, last_error } = daemon.node(uuid);
  assert.equal(provision_state, 'enroll');
  assert.match(
    last_error ?? '',
    /report of a discovered machine: .*the collector broke.* Its MAC addresses: 52:54:00:/s,
  );
  assert.deepEqual(daemon.services.db.ports.ofNode(uuid), []);

  assert.equal(await failedDiscovery(daemon, [other, MAC]), uuid, 'another failure reuses the node');
  const mended = await report(daemon, reportOf([MAC, other]));
  assert.deepEqual([mended.status, mended.body['uuid']], [202, uuid]);
  await daemon.idle();
  const node = daemon.node(uuid);
  assert.deepEqual([node.provision_state, node.last_error], ['enroll', null]);
  assert.deepEqual(
    daemon.services.db.ports.ofNode(uuid).map(({ address }) => address),
    [MAC],
  );
  assert.equal('failed_discovery' in node.driver_internal_info, false);
  assert.equal((await discovered(daemon)).length, 1);
});

test('a machine that shares a MAC address with a machine whose discovery failed becomes a separate node', async (t) => {
  const daemon = await startInProcess(t, { ini });
  const shared = '02:00:00:00:00:aa';
  const first = await failedDiscovery(daemon, [MAC, shared, '00:00:00:00:00:00', '01:00:5e:00:00:01']);
  const answer = await report(daemon, reportOf([other, shared, '00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff']));
  assert.equal(answer.status, 202);
  await daemon.idle();
  const second = answer.body['uuid'];
  assert.notEqual(second, first);
  assert.deepEqual(
    daemon.services.db.ports.ofNode(second).map(({ address }) => address),
    [other],
  );
});

test('null, broadcast and duplicate addresses get no port', async (t) => {
  const daemon = await startInProcess(t, { ini: `${ini}[inspector]\nadd_ports = all\n` });
  const { body } = await report(
    daemon,
    reportOf([MAC, '00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff', other, other]),
  );
  await daemon.idle();
  assert.deepEqual(
    daemon.services.db.ports.ofNode(body['uuid']).map(({ address }) => address),
    [MAC, other],
  );
});

test('after a failed discovery, no report is accepted once an operator has changed the node', async (t) => {
  const daemon = await startInProcess(t, { ini });
  const uuid = await failedDiscovery(daemon, [MAC]);
  daemon.services.db.nodes.update(uuid, { driver_info: { ipmi_password: 'hunter2' } });
  assert.equal((await report(daemon, reportOf([MAC]))).status, 404);
  assert.match(daemon.log(), /its node has been changed since/);
  daemon.services.db.nodes.update(uuid, { driver_info: {}, provision_state: 'manageable' });
  assert.equal((await report(daemon, reportOf([MAC]))).status, 404);
  assert.equal((await discovered(daemon)).length, 1);
});

test('max_enrolled_nodes limits the discovered nodes in enroll', async (t) => {
  const daemon = await startInProcess(t, { ini: `${ini}max_enrolled_nodes = 2\n` });
  const first = await failedDiscovery(daemon, [macOf(1)]);
  assert.equal((await report(daemon, reportOf([macOf(2)]))).status, 202);
  await daemon.idle();
  const refused = await report(daemon, reportOf([macOf(3)]));
  assert.deepEqual([refused.status, refused.text.includes('max_enrolled_nodes')], [503, true]);
  assert.match(daemon.log(), /DiscoveryFull/);
  assert.equal(
    (await report(daemon, reportOf([macOf(1)]))).status,
    202,
    'the report of a known machine is accepted',
  );
  await daemon.idle();
  daemon.services.db.nodes.update(first, { provision_state: 'manageable' });
  assert.equal((await report(daemon, reportOf([macOf(3)]))).status, 202);
  await daemon.idle();
  assert.equal((await discovered(daemon)).length, 3);
});

test('the node of a discovered machine with an unreachable BMC has an inventory and no last_error', async (t) => {
  const daemon = await startInProcess(t, {
    ini: '[auto_discovery]\nenabled = true\ndriver = ipmi\n[DEFAULT]\nenabled_hardware_types = ipmi\n',
  });
  const answer = await report(daemon, reportOf([MAC], { bmc_address: '192.0.2.7' }));
  await daemon.idle();
  const uuid = answer.body['uuid'];
  assert.deepEqual([daemon.node(uuid).last_error, daemon.node(uuid).power_state], [null, null]);
  assert.equal((await daemon.request('GET', `/v1/nodes/${uuid}/inventory`)).status, 200);
  assert.match(daemon.log(), /its BMC cannot be reached yet/);
});

test('plugin_data[auto_discovered] is true for inspection rules only at discovery', async (t) => {
  const daemon = await startInProcess(t, { ini });
  const conditions = [{ op: 'is-true', args: { value: '{plugin_data[auto_discovered]}' } }];
  const rule = { op: 'extend-attribute', args: { path: '/extra/seen', value: '{node.auto_discovered}' } };
  await daemon.request('POST', '/v1/inspection_rules', { body: { conditions, actions: [rule] } });
  const uuid = (await report(daemon, reportOf([MAC]))).body['uuid'];
  await daemon.idle();
  assert.deepEqual(daemon.node(uuid).extra, { seen: ['True'] });
  daemon.services.db.nodes.update(uuid, { provision_state: 'inspect wait', power_state: 'power on' });
  assert.equal((await report(daemon, reportOf([MAC]))).status, 202);
  await daemon.idle();
  assert.deepEqual(
    [daemon.node(uuid).provision_state, daemon.node(uuid).extra],
    ['manageable', { seen: ['True'] }],
  );
});

test('a report that matches a node, has no MAC address or names a node creates no node', async (t) => {
  const daemon = await startInProcess(t, { ini });
  const { uuid } = await daemon.createNode({ driver: 'lab' });
  await daemon.createPort(uuid, MAC);
  assert.equal((await report(daemon, reportOf([MAC, other]))).status, 404);
  assert.equal((await report(daemon, reportOf(['none'], { bmc_address: '192.0.2.7' }))).status, 404);
  const named = await daemon.request('POST', `/v1/continue_inspection?node_uuid=${uuid}`, {
    version: 84,
    body: reportOf([other]),
  });
  assert.equal(named.status, 404);
  assert.deepEqual(await discovered(daemon), []);
});

const textsOf = ({ services }: InProcessDaemon, node: string) => {
  services.timeline.flush();
  return services.db.machineEvents.ofNode(node, { since: 0, limit: 10 }).map(({ text }) => text);
};

test('a machine that is enrolled by the address of its BMC, without a port, gets no second node', async (t) => {
  const machine = reportOf([MAC], { bmc_address: '192.0.2.7' });
  for (const [driver_info, creates] of [
    [{ redfish_address: 'https://192.0.2.7:8443/redfish' }, false],
    [{ ipmi_address: '192.0.2.7' }, false],
    [{ ipmi_address: '192.0.2.77' }, true],
    [{ ipmi_address: '192.0.2.7', ipmi_bridging: 'single' }, true],
  ] as const) {
    const daemon = await startInProcess(t, { ini });
    const { uuid } = await daemon.createNode({ driver: 'lab', driver_info });
    const before = daemon.node(uuid);
    assert.equal((await report(daemon, machine)).status, creates ? 202 : 404, JSON.stringify(driver_info));
    await daemon.idle();
    assert.equal((await discovered(daemon)).length, creates ? 1 : 0);
    assert.deepEqual(daemon.node(uuid), before, 'whoever sent the report changes nothing');
    assert.equal(textsOf(daemon, uuid).length, creates ? 0 : 1);
    if (!creates) assert.match(textsOf(daemon, uuid)[0] ?? '', /does not wait for one: inspect the node$/);
  }
});

test('a discovered machine and a node with ports and the same BMC address name each other in their timelines', async (t) => {
  const daemon = await startInProcess(t, { ini });
  const { uuid: twin } = await daemon.createNode({
    driver: 'lab',
    driver_info: { ipmi_address: '192.0.2.7' },
  });
  await daemon.createPort(twin, other);
  const { body } = await report(daemon, reportOf([MAC], { bmc_address: '192.0.2.7' }));
  await daemon.idle();
  const found = body['uuid'];
  assert.ok(textsOf(daemon, found).includes(`node ${twin} has the same BMC address`));
  assert.deepEqual(textsOf(daemon, twin), [
    `a machine with the same BMC address was discovered as node ${found}`,
  ]);
});

test('a report of an unknown machine answers 404 when discovery is disabled', async (t) => {
  const daemon = await startInProcess(t);
  assert.equal((await report(daemon, reportOf([MAC]))).status, 404);
  assert.deepEqual(await discovered(daemon), []);
});

test('the daemon does not start if the driver for discovered nodes is missing or not enabled', async (t) => {
  const start = (driver: string) =>
    startInProcess(t, { ini: `[auto_discovery]\nenabled = true\n${driver}\n` });
  await assert.rejects(
    start(''),
    /^Error: \[auto_discovery\] enabled is true, but .* driver = .* cannot be used for new nodes/,
  );
  await assert.rejects(
    start('driver = acme'),
    /driver = acme cannot be used for new nodes: .*driver acme\. It is not enabled/,
  );
});

test('discovery answers 503 and creates no node when all workers are busy', async (t) => {
  const daemon = await startInProcess(t, { ini: `${ini}[conductor]\nworkers_pool_size = 3\n` });
  const leave = [1, 2, 3].map(() => daemon.services.workers.enter('request'));
  assert.equal((await report(daemon, reportOf([MAC]))).status, 503);
  assert.deepEqual(await discovered(daemon), []);
  for (const each of leave) each();
  assert.equal((await report(daemon, reportOf([MAC]))).status, 202);
  await daemon.idle();
});

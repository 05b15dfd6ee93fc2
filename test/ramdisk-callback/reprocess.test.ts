import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import type { InProcessDaemon } from '../fakes/daemon/in-process-daemon.ts';
import { MAC, waitingNode } from './waiting-node.ts';

const OTHER = '52:54:00:00:00:02';
const inventory = {
  interfaces: [
    { name: 'eth0', mac_address: MAC },
    { name: 'eth1', mac_address: OTHER, lldp: [] },
  ],
  cpu: { architecture: 'x86_64', count: 8 },
  memory: { physical_mb: 1024 },
  boot: { pxe_interface: MAC },
};

const set = (where: string, value: unknown) => ({ op: 'set-attribute', args: { path: where, value } });

/** A node that was inspected before any rule existed. */
async function inspectedNode(t: TestContext, ini = '') {
  const { daemon, uuid } = await waitingNode(t, { ini }, { driver_info: { ipmi_password: 'hunter2' } });
  const body = { inventory, racks: { row: 3 }, logs: 'bG9n' };
  const sent = await daemon.request('POST', '/v1/continue_inspection', { version: null, body });
  assert.equal(sent.status, 202, sent.text);
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'manageable');
  const reprocess = (given?: object) =>
    daemon.request('POST', `/v1/nodes/${uuid}/inventory/reprocess`, {
      version: 1,
      ...(given && { body: given }),
    });
  return { daemon, uuid, reprocess };
}

async function addRule(daemon: InProcessDaemon, actions: readonly object[]): Promise<void> {
  const { status, text } = await daemon.request('POST', '/v1/inspection_rules', { body: { actions } });
  assert.equal(status, 201, text);
}

/** The records that reprocessing can change. */
async function records(daemon: InProcessDaemon, uuid: string) {
  const { text } = await daemon.request('GET', `/v1/nodes/${uuid}/inventory`);
  return JSON.stringify([daemon.node(uuid), daemon.services.db.ports.ofNode(uuid), text]);
}

test('reprocessing applies new rules to stored data; a dry run lists the same changes and makes none', async (t) => {
  const { daemon, uuid, reprocess } = await inspectedNode(t);
  await addRule(daemon, [
    set('/extra/row', '{plugin_data[racks][row]}'),
    set('/driver_info/ipmi_password', 'hunter3'),
    set('/instance_info/image_url', 'https://user:pass@images/1'),
    { op: 'set-port-attribute', args: { port_id: MAC, path: 'extra.a~b', value: 1 } },
    { op: 'set-plugin-data', args: { path: 'site', value: { token: 'abc', row: 3 } } },
    { op: 'log', args: { msg: 'seen' } },
  ]);
  const before = await records(daemon, uuid);
  const tried = await reprocess({ dry_run: true });
  assert.equal(tried.status, 200, tried.text);
  assert.deepEqual(tried.json, {
    dry_run: true,
    changes: [
      { path: '/node/driver_info/ipmi_password', before: '******', after: '******' },
      { path: '/node/instance_info/image_url', after: '******' },
      { path: '/node/extra/row', after: '3' },
      { path: `/ports/${MAC}/extra/a~0b`, after: 1 },
      { path: '/plugin_data/site', after: { token: '******', row: 3 } },
    ],
    log: [{ level: 'info', message: 'seen' }],
  });
  assert.equal(await records(daemon, uuid), before);

  const done = await reprocess();
  assert.equal(done.status, 200, done.text);
  assert.deepEqual(done.json, { ...(tried.json as object), dry_run: false });
  const node = daemon.node(uuid);
  assert.equal(node.provision_state, 'manageable');
  assert.deepEqual([node.extra, node.driver_info], [{ row: '3' }, { ipmi_password: 'hunter3' }]);
  assert.deepEqual(daemon.services.db.ports.ofNode(uuid).find(({ address }) => address === MAC)?.extra, {
    'a~b': 1,
  });
  const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/history/detail`);
  assert.match(JSON.stringify(body), /stored inspection data was processed again: 5 values changed/);
  assert.deepEqual((await reprocess()).body['changes'], []);
});

test('reprocessing adds deleted ports again and lists the ports that hooks remove', async (t) => {
  const ini = '[inspector]\nhooks = validate-interfaces,ports\nadd_ports = all\nkeep_ports = present\n';
  const { daemon, uuid, reprocess } = await inspectedNode(t, ini);
  const port = daemon.services.db.ports.ofNode(uuid).find(({ address }) => address === OTHER);
  await daemon.request('DELETE', `/v1/ports/${port?.uuid}`);
  await daemon.createPort(uuid, '52:54:00:00:00:99');
  const { body } = await reprocess();
  const changes = body['changes'] as readonly { path: string; before?: object; after?: object }[];
  assert.deepEqual(
    changes.map(({ path, before, after }) => [path, before !== undefined, after !== undefined]),
    [
      ['/ports/52:54:00:00:00:99', true, false],
      [`/ports/${OTHER}`, false, true],
    ],
  );
  const addresses = daemon.services.db.ports.ofNode(uuid).map(({ address }) => address);
  assert.deepEqual(addresses.toSorted(), [MAC, OTHER]);
});

test('reprocessing with a rule that fails answers 400 and changes nothing', async (t) => {
  const { daemon, uuid, reprocess } = await inspectedNode(t);
  await addRule(daemon, [set('/extra/row', 1), { op: 'fail', args: { msg: 'not this one' } }]);
  const before = await records(daemon, uuid);
  for (const body of [{ dry_run: true }, {}]) {
    const { status, fault } = await reprocess(body);
    assert.equal(status, 400);
    assert.match(fault, /nothing was changed: Inspection rule .*, action 2 \(fail\): not this one/);
  }
  assert.equal(await records(daemon, uuid), before);
});

test('reprocessing with a rule that sets an unknown driver answers 400 and changes nothing', async (t) => {
  const { daemon, uuid, reprocess } = await inspectedNode(t);
  await addRule(daemon, [set('/extra/row', 1), set('/driver', 'no-such-type')]);
  const before = await records(daemon, uuid);
  const { status, fault } = await reprocess();
  assert.equal(status, 400);
  assert.match(fault, /no-such-type/);
  assert.equal(await records(daemon, uuid), before);
});

test('reprocessing an inventory without interfaces answers 400 with the name of the missing field', async (t) => {
  const { daemon, uuid, reprocess } = await inspectedNode(t);
  daemon.services.db.inventory.put(uuid, '2026-01-01T00:00:00+00:00', {
    inventory: '{"cpu":{}}',
    plugin_data: '{}',
  });
  const { status, fault } = await reprocess();
  assert.equal(status, 400);
  assert.match(fault, /'inventory.interfaces' is required/);
});

test('a dry run makes no api-call', async (t) => {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(request.url ?? '');
    response.end('{}');
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  const { daemon, reprocess } = await inspectedNode(t);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/seen`;
  await addRule(daemon, [{ op: 'api-call', args: { url } }]);
  const { body } = await reprocess({ dry_run: true });
  assert.match(JSON.stringify(body['log']), /api-call to .*\/seen: not made in a dry run/);
  assert.deepEqual(calls, []);
  await reprocess();
  assert.deepEqual(calls, ['/seen']);
});

test('a busy node and an active node without maintenance refuse reprocessing but accept a dry run', async (t) => {
  const { daemon, uuid, reprocess } = await inspectedNode(t);
  const inState = async (provision_state: 'inspect wait' | 'active' | 'enroll', maintenance = false) => {
    daemon.services.db.nodes.update(uuid, { provision_state, maintenance });
    assert.equal((await reprocess({ dry_run: true })).status, 200);
    return reprocess();
  };
  assert.equal((await inState('enroll')).status, 200);
  const busy = await inState('inspect wait');
  assert.equal(busy.status, 409);
  const active = await inState('active');
  assert.equal(active.status, 409);
  assert.match(active.fault, /state "active".*Put the node into maintenance first, or use a dry run/);
  assert.equal((await inState('active', true)).status, 200);
});

test('reprocessing refuses an unknown node, a node without an inventory and invalid arguments', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  const path = `/v1/nodes/${uuid}/inventory/reprocess`;
  assert.equal((await daemon.request('POST', path, { body: { dry_run: true } })).status, 404);
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable' });
  assert.equal((await daemon.request('POST', path)).status, 404);
  assert.equal((await daemon.request('POST', path, { body: { dry_run: 'perhaps' } })).status, 400);
  assert.equal((await daemon.request('POST', path, { body: { dry: true } })).status, 400);
  assert.equal((await daemon.request('POST', '/v1/nodes/nobody/inventory/reprocess')).status, 404);
});

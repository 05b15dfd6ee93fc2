// Portgroups over HTTP: fields, versions, lists and rules. Their ports are in portgroup-ports.test.ts.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { NodeChanges } from '../../../../daemon/model/records/node.ts';
import type { Portgroup } from '../../../../daemon/model/records/portgroup.ts';
import { expectFault, expectReply } from '../../../fakes/clients/api-replies.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const session = await startInProcess(
  { after },
  {
    ini: 'default_portgroup_mode = 802.3ad\n[conductor]\nnode_locked_retry_attempts = 1\n',
  },
);
const { services } = session;

const MISSING = '00000000-0000-4000-8000-000000000000';
type List = { readonly portgroups: readonly Portgroup[]; readonly next?: string };

async function newNode(fields: NodeChanges = {}): Promise<string> {
  const body = { driver: 'fake-hardware' };
  const { uuid } = await expectReply<{ uuid: string }>(session.request('POST', '/v1/nodes', { body }), 201);
  if (Object.keys(fields).length > 0) services.db.nodes.update(uuid, fields);
  return uuid;
}
const post = (body: object, version = 115) => session.request('POST', '/v1/portgroups', { version, body });
const newPortgroup = (body: object, version = 115) => expectReply<Portgroup>(post(body, version), 201);
const patch = (uuid: string, operations: readonly object[], version = 115) =>
  session.request('PATCH', `/v1/portgroups/${uuid}`, { version, body: operations });
const listed = async (path: string, version = 115) =>
  (await expectReply<List>(session.request('GET', path, { version }), 200)).portgroups;
const refused = (body: object) => expectFault(post(body), 400);
const keys = async (path: string) => Object.keys((await listed(path))[0] ?? {}).toSorted();
const uuidsOf = async (path: string) => (await listed(path)).map(({ uuid }) => uuid);

const node = await newNode();

test('a portgroup is created with defaults, shown by UUID and by name, and deleted', async () => {
  const reply = await post({ node_uuid: node, name: 'bond0', address: '52:54:00:AA:00:01' });
  const made = reply.json as Portgroup;
  assert.equal(reply.status, 201);
  assert.match(reply.headers.get('location') ?? '', new RegExp(`/v1/portgroups/${made.uuid}$`));
  const { links, ports, uuid, created_at, ...rest } = made as Portgroup & { links: unknown; ports: unknown };
  assert.deepEqual(rest, {
    address: '52:54:00:aa:00:01',
    name: 'bond0',
    node_uuid: node,
    extra: {},
    internal_info: {},
    standalone_ports_supported: true,
    mode: '802.3ad',
    properties: {},
    physical_network: null,
    category: null,
    dynamic_portgroup: false,
    updated_at: null,
  });
  assert.match(JSON.stringify(links), new RegExp(`/v1/portgroups/${uuid}"`));
  assert.match(JSON.stringify(ports), new RegExp(`/v1/portgroups/${uuid}/ports"`));
  assert.match(created_at ?? '', /\+00:00$/);
  for (const ident of [uuid, uuid.toUpperCase(), 'bond0']) {
    assert.deepEqual(await expectReply(session.request('GET', `/v1/portgroups/${ident}`), 200), made);
  }
  await expectReply(session.request('DELETE', '/v1/portgroups/bond0'), 204);
  const gone = await expectFault(session.request('GET', `/v1/portgroups/${uuid}`), 404);
  assert.equal(gone, `Portgroup ${uuid} could not be found.`);
});

test('portgroups return 404 before 1.23', async () => {
  const { uuid } = await newPortgroup({ node_uuid: node });
  const old = (method: string, path: string) =>
    session.request(method, path, { version: 22, body: undefined });
  for (const path of ['/v1/portgroups', '/v1/portgroups/detail', `/v1/portgroups/${uuid}`]) {
    await expectFault(old('GET', path), 404);
  }
  await expectFault(old('POST', '/v1/portgroups'), 404);
  await expectFault(old('PATCH', `/v1/portgroups/${uuid}`), 404);
  await expectFault(old('DELETE', `/v1/portgroups/${uuid}`), 404);
  await expectReply(session.request('GET', `/v1/portgroups/${uuid}`, { version: 23 }), 200);
});

test('a portgroup shows the fields of the requested API version, alone and in lists', async () => {
  const { uuid } = await newPortgroup({ node_uuid: node, physical_network: 'a' });
  const known = [
    [25, []],
    [26, ['mode', 'properties']],
    [102, ['mode', 'properties', 'physical_network']],
  ] as const;
  const newer = ['mode', 'properties', 'physical_network', 'category', 'dynamic_portgroup'];
  for (const [version, fields] of known) {
    const one = await expectReply(session.request('GET', `/v1/portgroups/${uuid}`, { version }), 200);
    const [last] = (await listed('/v1/portgroups/detail?sort_dir=desc&limit=1', version)).slice(-1);
    for (const shown of [one, last ?? {}]) {
      assert.deepEqual(
        newer.filter((name) => name in shown),
        fields,
        String(version),
      );
    }
  }
});

test('mode and properties cannot be written before 1.26, but physical_network and category can', async () => {
  await expectFault(post({ node_uuid: node, mode: 'balance-rr' }, 25), 406);
  await expectFault(post({ node_uuid: node, properties: { miimon: 100 } }, 25), 406);
  const { uuid } = await newPortgroup({ node_uuid: node, physical_network: 'a', category: 'c' }, 23);
  const stored = services.db.portgroups.get(uuid);
  assert.deepEqual([stored?.physical_network, stored?.category], ['a', 'c']);
  const mode = [{ op: 'replace', path: '/mode', value: 'balance-rr' }];
  await expectFault(patch(uuid, mode, 25), 406);
  assert.equal((await expectReply(patch(uuid, mode, 26), 200))['mode'], 'balance-rr');
  await expectReply(patch(uuid, [{ op: 'add', path: '/category', value: 'd' }], 23), 200);
});

test('an invalid portgroup is refused with the reason', async () => {
  assert.match(await refused({}), /'node_uuid' is a required property/);
  assert.match(await refused({ node_uuid: node, dynamic_portgroup: true }), /'dynamic_portgroup' was unexp/);
  assert.match(await refused({ node_uuid: node, internal_info: {} }), /'internal_info' was unexpected/);
  assert.match(await refused({ node_uuid: node, address: '52-54-00-aa-00-01' }), /Expected a MAC address/);
  assert.match(await refused({ node_uuid: node, name: 'bond 0' }), /invalid name "bond 0"/);
  assert.match(await refused({ node_uuid: node, physical_network: 'x'.repeat(65) }), /physical_network/);
  assert.match(await refused({ node_uuid: node, category: 'x'.repeat(81) }), /category/);
  assert.match(await refused({ node_uuid: node, standalone_ports_supported: 'maybe' }), /standalone/);
  assert.match(await refused({ node_uuid: MISSING }), new RegExp(`node_uuid.*${MISSING}`));
  assert.match(await refused({ node_uuid: 'rack1' }), /node_uuid/);
  await expectFault(session.request('GET', '/v1/portgroups/bond%200'), 400);
});

test('UUID, name and address of a portgroup are unique', async () => {
  const address = '52:54:00:aa:00:02';
  const { uuid } = await newPortgroup({ node_uuid: node, name: 'own', address });
  const again = (body: object) => expectFault(post({ node_uuid: node, ...body }), 409);
  assert.equal(await again({ uuid }), `A portgroup with UUID ${uuid} already exists.`);
  assert.equal(await again({ name: 'own' }), 'A portgroup with name own already exists.');
  assert.equal(await again({ address }), `A portgroup with MAC address ${address} already exists.`);
  const other = await newPortgroup({ node_uuid: node });
  await expectFault(patch(other.uuid, [{ op: 'add', path: '/name', value: 'own' }]), 409);
  assert.equal(services.db.portgroups.get(other.uuid)?.name, null);
});

test('several portgroups can be without a name and an address, and an empty name is stored as null', async () => {
  const made = await newPortgroup({ node_uuid: node, name: '', address: null });
  const other = await newPortgroup({ node_uuid: node, name: null });
  assert.deepEqual([made.name, made.address, other.name], [null, null, null]);
  const named = await expectReply(patch(made.uuid, [{ op: 'add', path: '/name', value: 'n1' }]), 200);
  assert.equal(named['name'], 'n1');
  const unnamed = await expectReply(patch(made.uuid, [{ op: 'replace', path: '/name', value: '' }]), 200);
  assert.equal(unnamed['name'], null);
});

test('a patch of a portgroup applies all its operations or none, and never changes uuid or dynamic_portgroup', async () => {
  const { uuid } = await newPortgroup({ node_uuid: node, extra: { a: 1 }, physical_network: 'a' });
  const changed = await expectReply(
    patch(uuid, [
      { op: 'replace', path: '/extra/a', value: 2 },
      { op: 'replace', path: '/standalone_ports_supported', value: 'no' },
      { op: 'remove', path: '/physical_network' },
      { op: 'replace', path: '/mode', value: null },
    ]),
    200,
  );
  assert.deepEqual(changed['extra'], { a: 2 });
  assert.equal(changed['standalone_ports_supported'], false);
  assert.equal(changed['physical_network'], null);
  assert.equal(changed['mode'], null);
  await expectFault(
    patch(uuid, [
      { op: 'replace', path: '/extra/a', value: 3 },
      { op: 'remove', path: '/mode' },
    ]),
    400,
  );
  await expectReply(patch(uuid, [{ op: 'remove', path: '/node_uuid' }]), 200);
  assert.notEqual(services.db.portgroups.get(uuid)?.node_uuid, null);
  await expectFault(patch(uuid, [{ op: 'replace', path: '/dynamic_portgroup', value: true }]), 400);
  await expectFault(patch(uuid, [{ op: 'replace', path: '/uuid', value: MISSING }]), 400);
  assert.deepEqual(services.db.portgroups.get(uuid)?.extra, { a: 2 });
});

test('a list shows a summary of each portgroup unless detail or fields is given', async () => {
  assert.deepEqual(await keys('/v1/portgroups'), ['address', 'links', 'name', 'uuid']);
  assert.deepEqual(await keys('/v1/portgroups?fields=mode'), ['links', 'mode']);
  assert.ok((await keys('/v1/portgroups?detail=true')).includes('ports'));
  assert.ok((await keys('/v1/portgroups/detail')).includes('ports'));
  await expectFault(session.request('GET', '/v1/portgroups?detail=true', { version: 42 }), 400);
  await expectFault(session.request('GET', '/v1/portgroups?fields=color'), 400);
  await expectFault(session.request('GET', '/v1/portgroups?fields=mode', { version: 25 }), 406);
  await expectFault(session.request('GET', '/v1/portgroups?sort_key=properties'), 400);
});

test('portgroups are filtered by node, address, shard or conductor group, and only by one of them at a time', async () => {
  const other = await newNode({ name: 'other', shard: 's1', conductor_group: 'east' });
  const address = '52:54:00:aa:00:03';
  const { uuid } = await newPortgroup({ node_uuid: other, address });
  const filters = ['node=other', `node=${other}`, `address=${address.toUpperCase()}`, 'shard=S1,s2'];
  for (const filter of [...filters, 'conductor_groups=east,west']) {
    assert.deepEqual(await uuidsOf(`/v1/portgroups?${filter}`), [uuid], filter);
  }
  assert.deepEqual(await uuidsOf('/v1/portgroups?address=52:54:00:aa:00:ff'), []);
  await expectFault(session.request('GET', '/v1/portgroups?address=bond0'), 400);
  await expectFault(session.request('GET', '/v1/portgroups?node=nobody'), 404);
  await expectFault(session.request('GET', '/v1/portgroups?shard=s1', { version: 105 }), 406);
  for (const pair of [`node=other&address=${address}`, 'shard=s1&conductor_groups=east']) {
    assert.match(
      await expectFault(session.request('GET', `/v1/portgroups?${pair}`), 400),
      /one of node, address/,
    );
  }
});

test('the portgroups of a node are listed below it, by UUID and by name', async () => {
  const uuid = await newNode({ name: 'holder' });
  const made = [await newPortgroup({ node_uuid: uuid }), await newPortgroup({ node_uuid: uuid })];
  const expected = made.map((one) => one.uuid);
  for (const ident of [uuid, 'holder']) {
    assert.deepEqual(await uuidsOf(`/v1/nodes/${ident}/portgroups`), expected);
    assert.deepEqual(await uuidsOf(`/v1/nodes/${ident}/portgroups/detail`), expected);
  }
  const page = await expectReply<List>(session.request('GET', '/v1/nodes/holder/portgroups?limit=1'), 200);
  const next = new URL(page.next ?? '');
  assert.equal(next.pathname, '/v1/nodes/holder/portgroups');
  assert.deepEqual(await uuidsOf(`${next.pathname}${next.search}`), expected.slice(1));
  await expectFault(session.request('GET', `/v1/nodes/${uuid}/portgroups`, { version: 23 }), 404);
  await expectFault(session.request('GET', '/v1/nodes/nobody/portgroups'), 404);
  const below = session.request('GET', `/v1/nodes/holder/portgroups/${expected[0]}`);
  assert.match(await expectFault(below, 400), /Malformed request URI/);
});

test('the address of a portgroup cannot change while its node is in use, except in maintenance', async () => {
  const operation = [{ op: 'add', path: '/address', value: '52:54:00:aa:00:04' }];
  for (const state of [{ provision_state: 'active' }, { instance_uuid: MISSING }] as const) {
    const uuid = await newNode(state);
    const made = await newPortgroup({ node_uuid: uuid });
    assert.match(await expectFault(patch(made.uuid, operation), 409), /address/);
    services.db.nodes.update(uuid, { maintenance: true });
    await expectReply(patch(made.uuid, operation), 200);
    await expectReply(session.request('DELETE', `/v1/portgroups/${made.uuid}`), 204);
  }
});

test('since 1.39 a portgroup cannot change while its node is being inspected', async () => {
  const made = await newPortgroup({ node_uuid: await newNode({ provision_state: 'inspecting' }) });
  const operation = [{ op: 'add', path: '/extra/a', value: 1 }];
  await expectFault(patch(made.uuid, operation, 39), 409);
  await expectReply(patch(made.uuid, operation, 38), 200);
});

test('changing and deleting a portgroup need the lock of its node, but creating does not', async () => {
  const uuid = await newNode();
  const release = services.locks.tryAcquire(uuid);
  const made = await newPortgroup({ node_uuid: uuid });
  const operation = [{ op: 'add', path: '/extra/a', value: 1 }];
  assert.match(await expectFault(patch(made.uuid, operation), 409), /is locked by host/);
  assert.match(await expectFault(session.request('DELETE', `/v1/portgroups/${made.uuid}`), 409), /is locked/);
  release?.();
  await expectReply(session.request('DELETE', `/v1/portgroups/${made.uuid}`), 204);
});

test('deleting a node deletes its portgroups', async () => {
  const uuid = await newNode();
  const made = await newPortgroup({ node_uuid: uuid });
  await expectReply(session.request('DELETE', `/v1/nodes/${uuid}`), 204);
  await expectFault(session.request('GET', `/v1/portgroups/${made.uuid}`), 404);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeChanges } from '../../../../daemon/model/records/node.ts';
import { provisionStates } from '../../../../daemon/model/states/provision-states.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const MAC = '52:54:00:00:00:01';

test('a new port has defaults, its MAC in lower case, and a Location', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode();
  const body = { node_uuid: node.uuid.toUpperCase(), address: '52:54:00:AA:BB:CC' };
  const answer = await daemon.request('POST', '/v1/ports', { body });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.headers.get('location'), `http://ironic.test/v1/ports/${answer.body.uuid}`);
  const { address, node_uuid, pxe_enabled, extra, local_link_connection, physical_network } = answer.body;
  assert.deepEqual(
    [address, node_uuid, pxe_enabled, extra, local_link_connection, physical_network],
    ['52:54:00:aa:bb:cc', node.uuid, true, {}, {}, null],
  );
});

test('since 1.94 a new port can name its node by node_ident instead of node_uuid', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode({ name: 'n' });
  const post = (fields: object, version = 115) =>
    daemon.request('POST', '/v1/ports', { body: { address: MAC, ...fields }, version });
  assert.equal((await post({ node_ident: 'n' }, 93)).status, 406);
  assert.equal((await post({ node_ident: 'n', node_uuid: node.uuid })).status, 400);
  assert.equal((await post({ node_ident: 5 })).status, 400);
  const nobody = await post({ node_ident: 'nobody' });
  assert.equal(nobody.status, 400);
  assert.match(nobody.fault, /node_ident.*nobody/);
  const created = await post({ node_ident: 'n' }, 94);
  assert.equal(created.body['node_uuid'], node.uuid);
  assert.equal(created.body['node_ident'], undefined);
});

const VTEP = { 'vtep-logical-switch': 'l', 'vtep-physical-switch': 's' };

const refused: readonly (readonly [object | string | undefined, RegExp, number?, number?])[] = [
  [undefined, /'address' is a required property|'node_uuid' is a required property/],
  ['[', /not valid JSON/],
  [[], /not of type object/],
  [{ address: '52-54-00-00-00-02' }, /Expected a MAC address/],
  [{ address: '52:54:00:00:00' }, /Expected a MAC address/],
  [{ address: '' }, /address/],
  [{ address: null }, /address/],
  [{ address: "'; DROP TABLE" }, /Expected a MAC address/],
  [{ node_uuid: UNKNOWN }, /could not be found/],
  [{ node_uuid: 'n' }, /node_uuid/],
  [{ uuid: 'x' }, /uuid/],
  [{ internal_info: {} }, /'internal_info' was unexpected/],
  [{ foo: 1 }, /'foo' was unexpected/],
  [{ pxe_enabled: 'maybe' }, /pxe_enabled/],
  [{ physical_network: '' }, /physical_network/],
  [{ physical_network: 'x'.repeat(65) }, /physical_network/],
  [{ description: 'x'.repeat(256) }, /description/],
  [{ vendor: 'x'.repeat(33) }, /vendor/],
  [{ category: 'x'.repeat(81) }, /category/],
  [{ is_smartnic: true }, /port_id and hostname/],
  [{ local_link_connection: { port_id: 'p' } }, /port_id with switch_id/],
  [{ local_link_connection: { foo: 'p' } }, /'foo' was unexpected.*local_link_connection/],
  [
    { local_link_connection: { port_id: 1, switch_id: 'x' } },
    /not of type string \(local_link_connection\/port_id\)/,
  ],
  [{ local_link_connection: { port_id: 'p', switch_id: 'x' } }, /MAC address or OpenFlow datapath ID/],
  [{ local_link_connection: { network_type: 'managed' } }, /local_link_connection/],
  [{ local_link_connection: { network_type: 'odd' } }, /network_type/],
  [{ local_link_connection: VTEP }, /only in API versions 1\.90 to 1\.104/, 406],
  [{ local_link_connection: VTEP }, /only in API versions 1\.90 to 1\.104/, 406, 89],
  [{ local_link_connection: { ...VTEP, port_id: 'p' } }, /only in API versions 1\.90 to 1\.104/, 406, 105],
  [{ local_link_connection: VTEP }, /port_id with/, 400, 100],
  [{ local_link_connection: { port_id: 'p', 'vtep-logical-switch': 'l' } }, /port_id with/, 400, 100],
  [{ available_for_dynamic_portgroup: 'true' }, /not of type boolean/],
  [{ available_for_dynamic_portgroup: 1 }, /not of type boolean/],
  [{ local_link_connection: { network_type: 'unmanaged' } }, /1\.64/, 406, 63],
  [{ name: 'p' }, /1\.88/, 406, 87],
];

test('an invalid port is refused with the reason and not stored', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode();
  for (const [fields, fault, status = 400, version = 115] of refused) {
    const isObject = typeof fields === 'object' && !Array.isArray(fields);
    const body = isObject ? { address: MAC, node_uuid: node.uuid, ...fields } : fields;
    const answer = await daemon.request('POST', '/v1/ports', { body, version });
    assert.equal(answer.status, status, `${JSON.stringify(body)} ${answer.text}`);
    assert.match(answer.fault, fault);
  }
  assert.deepEqual((await daemon.request('GET', '/v1/ports')).body.ports, []);
});

test('a valid local_link_connection is stored with its switch_id in lower case', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode();
  const wirings = [
    {},
    { port_id: 'p', switch_id: 'AA:BB:CC:00:11:22' },
    { port_id: 'p', switch_id: '00112233445566FF', switch_info: 's' },
    { port_id: 'p', hostname: 'h' },
    { network_type: 'unmanaged' },
  ];
  for (const [at, local_link_connection] of wirings.entries()) {
    const port = await daemon.createPort(node.uuid, `52:54:00:00:00:0${at}`, { local_link_connection });
    const lower = JSON.stringify(local_link_connection).replace(/"(\w\w[\w:]{10,})"/, (text) =>
      text.toLowerCase(),
    );
    assert.equal(JSON.stringify(port['local_link_connection']), lower);
  }
});

test('address, UUID and name of a port are unique', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode();
  const first = await daemon.createPort(node.uuid, MAC, { name: 'p' });
  const second = await daemon.createPort(node.uuid, '52:54:00:00:00:02');
  const cases = [
    [{ address: MAC.toUpperCase() }, /A port with MAC address 52:54:00:00:00:01 already exists/],
    [{ name: 'p' }, /A port with name p already exists/],
    [{ uuid: first.uuid }, /A port with UUID .* already exists/],
  ] as const;
  for (const [fields, fault] of cases) {
    const body = { address: '52:54:00:00:00:03', node_uuid: node.uuid, ...fields };
    const created = await daemon.request('POST', '/v1/ports', { body });
    assert.equal(created.status, 409);
    assert.match(created.fault, fault);
    const [[name, value] = []] = Object.entries(fields);
    if (name === 'uuid') continue;
    const patch = [{ op: 'replace', path: `/${name}`, value }];
    assert.equal((await daemon.request('PATCH', `/v1/ports/${second.uuid}`, { body: patch })).status, 409);
  }
});

test('a port is shown and changed by UUID or name, but deleted by UUID only', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode();
  const { uuid } = await daemon.createPort(node.uuid, MAC, { name: 'eth0' });
  const status = async (method: string, path: string, body?: unknown) =>
    (await daemon.request(method, `/v1/ports/${path}`, { body })).status;
  assert.equal(await status('GET', 'eth0'), 200);
  assert.equal(await status('GET', uuid.toUpperCase()), 200);
  assert.equal(await status('GET', MAC), 400);
  assert.equal(await status('GET', UNKNOWN), 404);
  assert.equal(await status('PATCH', 'eth0', [{ op: 'add', path: '/extra/a', value: 1 }]), 200);
  assert.equal(await status('DELETE', 'eth0'), 400);
  assert.equal(await status('DELETE', uuid), 204);
  assert.equal(await status('DELETE', uuid), 404);
});

test('remove restores defaults, keeps node_uuid and is refused for address', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode();
  const fields = {
    pxe_enabled: false,
    physical_network: 'net',
    extra: { a: 1 },
    name: 'p',
    is_smartnic: false,
  };
  const { uuid } = await daemon.createPort(node.uuid, MAC, fields);
  const names = ['pxe_enabled', 'physical_network', 'extra', 'name', 'is_smartnic', 'node_uuid'];
  const body = names.map((name) => ({ op: 'remove', path: `/${name}` }));
  const answer = await daemon.request('PATCH', `/v1/ports/${uuid}`, { body });
  assert.deepEqual(
    names.map((name) => answer.body[name]),
    [true, null, {}, null, false, node.uuid],
  );
  const address = [{ op: 'remove', path: '/address' }];
  assert.equal((await daemon.request('PATCH', `/v1/ports/${uuid}`, { body: address })).status, 400);
});

test('a port can move to another node, which must exist', async (t) => {
  const daemon = await startInProcess(t);
  const [first, second] = [await daemon.createNode(), await daemon.createNode()];
  const { uuid } = await daemon.createPort(first.uuid, MAC);
  const move = (value: string) =>
    daemon.request('PATCH', `/v1/ports/${uuid}`, { body: [{ op: 'replace', path: '/node_uuid', value }] });
  assert.equal((await move(UNKNOWN)).status, 400);
  assert.equal((await move(second.uuid)).body['node_uuid'], second.uuid);
});

test('local_link_connection of a smart NIC cannot be removed', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode();
  const wiring = { port_id: 'p', hostname: 'h' };
  const { uuid } = await daemon.createPort(node.uuid, MAC, {
    is_smartnic: true,
    local_link_connection: wiring,
  });
  const body = [{ op: 'remove', path: '/local_link_connection' }];
  assert.equal((await daemon.request('PATCH', `/v1/ports/${uuid}`, { body })).status, 400);
});

type Change = readonly [path: string, value: unknown];

/** Returns the provision states in which a node with the fields `stored` allows the change of its port. */
async function statesThatTake(
  t: Parameters<typeof startInProcess>[0],
  [path, value]: Change,
  stored: NodeChanges,
): Promise<readonly string[]> {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode();
  const { uuid } = await daemon.createPort(node.uuid, MAC);
  const taken = [];
  for (const state of provisionStates) {
    daemon.services.db.nodes.update(node.uuid, { ...stored, provision_state: state });
    daemon.services.db.ports.update(uuid, { address: MAC, pxe_enabled: true, extra: {} });
    const { status } = await daemon.request('PATCH', `/v1/ports/${uuid}`, {
      body: [{ op: 'replace', path, value }],
      version: 38,
    });
    assert.ok([200, 409].includes(status), `${path} ${state} ${status}`);
    if (status === 200) taken.push(state);
  }
  return taken;
}

test('pxe_enabled of a port can change in four provision states of its node, and in maintenance in all states', async (t) => {
  const change: Change = ['/pxe_enabled', false];
  const states = await statesThatTake(t, change, {});
  assert.deepEqual(states.toSorted(), ['enroll', 'inspect wait', 'inspecting', 'manageable']);
  assert.deepEqual(await statesThatTake(t, change, { maintenance: true }), provisionStates);
});

test('the address of a port cannot change while the node is in use, except in maintenance', async (t) => {
  const change: Change = ['/address', '52:54:00:00:00:09'];
  const states = await statesThatTake(t, change, {});
  assert.deepEqual(
    states,
    provisionStates.filter((state) => state !== 'active'),
  );
  assert.deepEqual(await statesThatTake(t, change, { instance_uuid: UNKNOWN }), []);
  const both = { instance_uuid: UNKNOWN, maintenance: true };
  assert.deepEqual(await statesThatTake(t, change, both), provisionStates);
});

test('since 1.39 a port cannot change while its node is being inspected', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode();
  const { uuid } = await daemon.createPort(node.uuid, MAC);
  daemon.services.db.nodes.update(node.uuid, { provision_state: 'inspecting' });
  const body = [{ op: 'add', path: '/extra/a', value: 1 }];
  assert.equal((await daemon.request('PATCH', `/v1/ports/${uuid}`, { body, version: 39 })).status, 409);
  assert.equal((await daemon.request('PATCH', `/v1/ports/${uuid}`, { body, version: 38 })).status, 200);
});

test('ports are filtered by node, address, shard and description, and listed below their node', async (t) => {
  const daemon = await startInProcess(t);
  const first = await daemon.createNode({ name: 'one', shard: 's1' });
  const second = await daemon.createNode({ name: 'two' });
  await daemon.createPort(first.uuid, MAC, { description: 'Uplink' });
  await daemon.createPort(second.uuid, '52:54:00:00:00:02');
  const found = async (path: string) => {
    const { status, body, text } = await daemon.request('GET', path);
    assert.equal(status, 200, `${path} ${text}`);
    return body.ports.map((port) => String(port['address']).at(-1)).join('');
  };
  const expected = {
    '/v1/ports': '12',
    '/v1/ports?node=one': '1',
    [`/v1/ports?node_uuid=${second.uuid}`]: '2',
    [`/v1/ports?address=${MAC.toUpperCase()}`]: '1',
    '/v1/ports?address=52:54:00:00:00:99': '',
    '/v1/ports?shard=s1': '1',
    '/v1/ports?description_contains=uplink': '1',
    '/v1/nodes/two/ports': '2',
    [`/v1/nodes/${first.uuid}/ports/detail`]: '1',
  };
  for (const [path, ports] of Object.entries(expected)) assert.equal(await found(path), ports, path);
});

test('the arguments of the list of ports are validated', async (t) => {
  const daemon = await startInProcess(t);
  await daemon.createNode({ name: 'one' });
  const cases: readonly (readonly [string, number, number?])[] = [
    ['?node=one&shard=s1', 403],
    ['?node=nobody', 404],
    [`?node_uuid=${UNKNOWN}`, 404],
    ['?address=52-54-00-00-00-01', 400],
    ['?node=one', 406, 4],
    ['?shard=s1', 406, 81],
    ['?fields=address', 406, 7],
    ['?detail=true', 400, 42],
    ['?detail=true&fields=address', 400],
    ['?detail=false&fields=address', 200],
    ['?fields=foo', 400],
    ['/detail?fields=address', 400],
  ];
  for (const [query, status, version = 115] of cases) {
    assert.equal((await daemon.request('GET', `/v1/ports${query}`, { version })).status, status, query);
  }
  assert.equal((await daemon.request('GET', '/v1/nodes/nobody/ports')).status, 404);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeChanges } from '../../../../daemon/model/node.ts';
import { provisionStates } from '../../../../daemon/model/provision-states.ts';
import { type InProcessDaemon, startInProcess } from '../../../fakes/in-process-daemon.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const OTHER = '11111111-2222-4333-8444-555555555555';

type Cases = readonly (readonly [body: unknown, status: number, fault: RegExp, version?: number])[];

test('a new node gets an identity, defaults and interfaces, and a Location by UUID', async (t) => {
  const daemon = await startInProcess(t);
  const { status, headers, body } = await daemon.request('POST', '/v1/nodes', {
    body: { driver: 'fake-hardware', name: 'n1' },
  });
  assert.equal(status, 201);
  assert.equal(headers.get('location'), `http://ironic.test/v1/nodes/${body.uuid}`);
  assert.equal(body['provision_state'], 'enroll');
  assert.equal(body['power_interface'], 'fake');
  assert.equal(body['conductor'], 'lab-host');
  assert.equal(body['created_at'], '2026-01-01T00:00:00.000+00:00');
  assert.equal(body['updated_at'], null);
  assert.deepEqual([body['clean_step'], body['network_data'], body['traits']], [{}, {}, []]);
});

test('an old client creates available nodes, and does not know that word before 1.2', async (t) => {
  const daemon = await startInProcess(t);
  const shown = async (version: number) => {
    const body = { driver: 'fake-hardware' };
    return (await daemon.request('POST', '/v1/nodes', { version, body })).body['provision_state'];
  };
  assert.deepEqual(await Promise.all([1, 2, 10, 11].map(shown)), [null, 'available', 'available', 'enroll']);
});

const refusedCreations: Cases = [
  [undefined, 400, /'driver' is a required property/],
  [[], 400, /not of type object/],
  ['"text"', 400, /not of type object/],
  ['{', 400, /not valid JSON/],
  [{ driver: null }, 400, /driver/],
  [{ driver: '' }, 400, /driver/],
  [{ driver: 'no-such' }, 400, /No valid host was found.*no-such.*fake-hardware/],
  [{ foo: 1 }, 400, /Additional properties are not allowed \('foo' was unexpected\)/],
  [{ ['__proto__']: {} }, 400, /Additional properties|required/],
  [{ protected: true }, 400, /'protected' was unexpected/],
  [{ provision_state: 'active' }, 400, /'provision_state' was unexpected/],
  [{ maintenance_reason: 'x' }, 400, /'maintenance_reason' was unexpected/],
  [{ traits: [] }, 400, /'traits' was unexpected/],
  [{ uuid: 'x' }, 400, /uuid/],
  [{ instance_uuid: 'x' }, 400, /instance_uuid/],
  [{ maintenance: 'maybe' }, 400, /maintenance/],
  [{ driver_info: 'x' }, 400, /driver_info/],
  [{ resource_class: 'x'.repeat(81) }, 400, /resource_class/],
  [{ description: 'x'.repeat(4097) }, 400, /description/],
  [{ boot_mode: 'coreboot' }, 400, /boot_mode/],
  [{ properties: { memory_mb: -1 } }, 400, /memory_mb/],
  [{ properties: { local_gb: 'ten' } }, 400, /local_gb/],
  [{ network_data: { links: [] } }, 400, /networks, services/],
  [{ conductor_group: 'a b' }, 400, /conductor_group/],
  [{ conductor_group: 'other' }, 400, /no conductor serves "other"/],
  [{ parent_node: UNKNOWN }, 400, /parent_node/],
  [{ power_interface: 'no-such' }, 400, /Could not find the following interface.*no-such/],
  [{ power_interface: 'lab' }, 400, /lab to hardware type fake-hardware/],
  [{ name: 'a b' }, 400, /invalid name/],
  [{ name: '' }, 400, /invalid name/],
  [{ name: OTHER }, 400, /looks like a UUID/],
  [{ name: 'detail' }, 400, /reserved/],
  [{ name: 'x'.repeat(256) }, 400, /name/],
  [{ name: 'Host_1' }, 400, /invalid name/, 9],
  [{ name: 'host' }, 406, /1\.5/, 4],
];

test('a node that is not right is refused with a sentence, and nothing is stored', async (t) => {
  const daemon = await startInProcess(t);
  for (const [fields, status, fault, version] of refusedCreations) {
    const isObject = typeof fields === 'object' && !Array.isArray(fields);
    const body = isObject ? { driver: 'fake-hardware', ...fields } : fields;
    const answer = await daemon.request('POST', '/v1/nodes', { body, version: version ?? 115 });
    assert.equal(answer.status, status, `${JSON.stringify(body)} ${answer.text}`);
    assert.match(answer.fault, fault);
  }
  assert.deepEqual((await daemon.request('GET', '/v1/nodes')).body.nodes, []);
});

test('null of an object or a flag that takes it is the initial value', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode({
    properties: null,
    driver_info: null,
    network_data: null,
    retired: null,
    disable_power_off: null,
    conductor_group: null,
  });
  const shown = [node['properties'], node['network_data'], node['retired'], node['disable_power_off']];
  assert.deepEqual(shown, [{}, {}, false, false]);
  assert.equal(node['conductor_group'], '');
});

test('booleans and UUIDs are taken in every spelling and shown in one', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode({
    uuid: OTHER.toUpperCase(),
    instance_uuid: UNKNOWN.replaceAll('-', ''),
    maintenance: 'Yes',
    retired: 0,
    automated_clean: 'off',
    console_enabled: 't',
  });
  assert.equal(node.uuid, OTHER);
  assert.equal(node['instance_uuid'], UNKNOWN);
  const flags = ['maintenance', 'retired', 'automated_clean', 'console_enabled'].map((name) => node[name]);
  assert.deepEqual(flags, [true, false, false, true]);
});

test('a UUID, a name and an instance belong to one node only', async (t) => {
  const daemon = await startInProcess(t);
  await daemon.createNode({ uuid: OTHER, name: 'n', instance_uuid: OTHER });
  const second = await daemon.createNode();
  const duplicates = [
    [{ uuid: OTHER }, /A node with UUID .* already exists/],
    [{ name: 'n' }, /A node with name n already exists/],
    [{ instance_uuid: OTHER }, /already associated/],
  ] as const;
  for (const [fields, fault] of duplicates) {
    const created = await daemon.request('POST', '/v1/nodes', {
      body: { driver: 'fake-hardware', ...fields },
    });
    assert.equal(created.status, 409);
    assert.match(created.fault, fault);
    const [[name, value] = []] = Object.entries(fields);
    if (name === 'uuid') continue;
    const patched = await patch(daemon, second.uuid, [{ op: 'add', path: `/${name}`, value }]);
    assert.equal(patched.status, 409);
    assert.match(patched.fault, fault);
  }
});

const patch = (daemon: InProcessDaemon, node: string, body: unknown, version = 115) =>
  daemon.request('PATCH', `/v1/nodes/${node}`, { body, version });

const refusedPatches: Cases = [
  [undefined, 400, /not of type array/],
  [{}, 400, /not of type array/],
  [[1], 400, /not of type object/],
  [[{ op: 'test', path: '/name', value: 'x' }], 400, /not one of add, replace, remove/],
  [[{ op: 'move', from: '/name', path: '/owner' }], 400, /patch/],
  [[{ op: 'add', path: '/extra/a', value: 1, more: 1 }], 400, /'more' was unexpected/],
  [[{ op: 'add', path: '/extra/a' }], 400, /'value' is a required property/],
  [[{ op: 'replace', path: '/name' }], 400, /'value' is a required property/],
  [[{ op: 'add', path: 'extra', value: 1 }], 400, /does not match/],
  [[{ op: 'add', path: '/extra/a.b', value: 1 }], 400, /does not match/],
  [[{ op: 'add', path: '/extra/a~1b', value: 1 }], 400, /does not match/],
  [[{ op: 'add', path: '/extra/', value: 1 }], 400, /does not match/],
  [
    [{ op: 'add', path: '/uuid', value: OTHER }],
    400,
    /Cannot patch \/uuid\. Only the following can be updated: \/auto/,
  ],
  [[{ op: 'replace', path: '/console_enabled', value: true }], 400, /Cannot patch/],
  [[{ op: 'add', path: '/traits/0', value: 'CUSTOM_X' }], 400, /Cannot patch/],
  [[{ op: 'replace', path: '/maintenance_reason', value: 'x' }], 400, /Cannot patch/],
  [[{ op: 'replace', path: '/boot_mode', value: 'uefi' }], 400, /Cannot patch/],
  [[{ op: 'add', path: '/extra/x/y', value: 1 }], 400, /extra\/x/],
  [[{ op: 'replace', path: '/extra/missing', value: 1 }], 400, /missing/],
  [[{ op: 'remove', path: '/extra/missing' }], 400, /missing/],
  [[{ op: 'add', path: '/extra/list/7', value: 1 }], 400, /list/],
  [[{ op: 'add', path: '/extra/list/x', value: 1 }], 400, /list/],
  [[{ op: 'replace', path: '/extra/list/length', value: 1 }], 400, /length/],
  [[{ op: 'replace', path: '/extra/list/-', value: 1 }], 400, /list/],
  [[{ op: 'add', path: '/extra/text/x', value: 1 }], 400, /text/],
  [[{ op: 'add', path: '/name/x', value: 1 }], 400, /name/],
  [[{ op: 'add', path: '/__proto__/x', value: 1 }], 400, /not a path into/],
  [[{ op: 'add', path: '/extra/constructor/prototype/x', value: 1 }], 400, /not a path into/],
  [[{ op: 'add', path: '/extra/toString/x', value: 1 }], 400, /extra\/toString/],
  [[{ op: 'replace', path: '/extra/hasOwnProperty', value: 1 }], 400, /hasOwnProperty/],
  [[{ op: 'remove', path: '/extra/valueOf' }], 400, /valueOf/],
  [[{ op: 'remove', path: '/driver' }], 400, /driver/],
  [[{ op: 'replace', path: '/driver', value: null }], 400, /driver/],
  [[{ op: 'replace', path: '/driver', value: 'no-such' }], 400, /No valid host/],
  [[{ op: 'replace', path: '/name', value: null }], 400, /remove operation/],
  [[{ op: 'replace', path: '/name', value: '' }], 400, /remove operation/],
  [[{ op: 'replace', path: '/parent_node', value: null }], 400, /remove operation/],
  [[{ op: 'replace', path: '/maintenance', value: null }], 400, /maintenance/],
  [[{ op: 'replace', path: '/description', value: 5 }], 400, /description/],
  [[{ op: 'replace', path: '/extra', value: 'x' }], 400, /Schema error for patch/],
  [[{ op: 'replace', path: '/network_data', value: { a: 1 } }], 400, /network_data/],
  [[{ op: 'replace', path: '/parent_node', value: UNKNOWN }], 400, /parent_node/],
  [[{ op: 'replace', path: '/conductor_group', value: 'other' }], 400, /no conductor serves/],
  [[{ op: 'replace', path: '/power_interface', value: 'lab' }], 400, /fake-hardware/],
  [[{ op: 'add', path: '/retired_reason', value: 'x' }], 400, /retired=true/],
  [[{ op: 'add', path: '/protected_reason', value: 'x' }], 400, /protected=true/],
  [
    [
      { op: 'replace', path: '/name', value: 'a' },
      { op: 'remove', path: '/extra/b' },
    ],
    400,
    /extra\/b/,
  ],
];

test('a patch that is not right is refused whole, and nothing changes for anybody', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ name: 'n', extra: { list: [1, 2], text: 't' } });
  const before = daemon.node(uuid);
  for (const [body, status, fault] of refusedPatches) {
    const answer = await patch(daemon, uuid, body);
    assert.equal(answer.status, status, `${JSON.stringify(body)} ${answer.text}`);
    assert.match(answer.fault, fault, JSON.stringify(body));
  }
  assert.deepEqual(daemon.node(uuid), before);
  assert.deepEqual(Object.keys(Object.prototype.toString), []);
  assert.equal(Object.hasOwn(Object.prototype, 'x'), false);
});

test('a patch applies its operations in order to what is stored, secrets included', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ driver_info: { password: 'real' } });
  const answer = await patch(daemon, uuid, [
    { op: 'add', path: '/driver_info/address', value: 'bmc' },
    { op: 'add', path: '/extra/list', value: [1, 3] },
    { op: 'add', path: '/extra/list/1', value: 2 },
    { op: 'add', path: '/extra/list/-', value: 4 },
    { op: 'replace', path: '/extra/list/0', value: 0 },
    { op: 'add', path: '/extra/toString', value: 'own' },
    { op: 'replace', path: '/extra/toString', value: 'mine' },
    { op: 'add', path: '/name', value: 'x' },
    { op: 'add', path: '/name', value: 'y' },
  ]);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body['driver_info'], { password: '******', address: 'bmc' });
  const stored = daemon.node(uuid);
  assert.deepEqual(stored.driver_info, { password: 'real', address: 'bmc' });
  assert.deepEqual(stored.extra, { list: [0, 2, 3, 4], toString: 'mine' });
  assert.equal(stored.name, 'y');
  assert.notEqual(stored.updated_at, null);
});

test('two empty objects of a node stay two', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  await patch(daemon, uuid, [
    { op: 'add', path: '/extra/a', value: 1 },
    { op: 'add', path: '/properties/b', value: 2 },
  ]);
  const { extra, properties, instance_info } = daemon.node(uuid);
  assert.deepEqual([extra, properties, instance_info], [{ a: 1 }, { b: 2 }, {}]);
});

test('remove of a field leaves its initial value, set before or not', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ name: 'n', owner: 'o', extra: { a: 1 }, automated_clean: true });
  const fields = [
    'name',
    'owner',
    'extra',
    'automated_clean',
    'description',
    'conductor_group',
    'parent_node',
  ];
  const body = [...fields, 'protected', 'retired', 'maintenance'].map((name) => ({
    op: 'remove',
    path: `/${name}`,
  }));
  const answer = await patch(daemon, uuid, body);
  assert.equal(answer.status, 200, answer.text);
  const shown = fields.map((name) => answer.body[name]);
  assert.deepEqual(shown, [null, null, {}, null, null, '', null]);
});

test('null clears objects, texts and the flags that take it', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({
    extra: { a: 1 },
    description: 'd',
    disable_power_off: true,
    retired: 1,
  });
  const fields = ['extra', 'description', 'disable_power_off', 'retired', 'conductor_group'];
  const answer = await patch(
    daemon,
    uuid,
    fields.map((name) => ({ op: 'replace', path: `/${name}`, value: null })),
  );
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(
    fields.map((name) => answer.body[name]),
    [{}, null, false, false, ''],
  );
});

test('an empty patch changes nothing and shows the node', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const answer = await patch(daemon, uuid, []);
  assert.equal(answer.status, 200);
  assert.equal(answer.body['updated_at'], null);
});

test('leaving maintenance by patch clears reason and fault, leaving retirement its reason', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ retired: true, retired_reason: 'old' });
  daemon.services.db.nodes.update(uuid, {
    maintenance: true,
    maintenance_reason: 'r',
    fault: 'power failure',
  });
  await patch(daemon, uuid, [
    { op: 'replace', path: '/maintenance', value: 'false' },
    { op: 'replace', path: '/retired', value: false },
  ]);
  const { maintenance, maintenance_reason, fault, retired, retired_reason } = daemon.node(uuid);
  const cleared = [maintenance, maintenance_reason, fault, retired, retired_reason];
  assert.deepEqual(cleared, [false, null, null, false, null]);
});

test('a display name of the instance fills an empty instance name', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const named = (value: string) => [{ op: 'add', path: '/instance_info/display_name', value }];
  assert.equal((await patch(daemon, uuid, named('web'))).body['instance_name'], 'web');
  assert.equal((await patch(daemon, uuid, named('db'))).body['instance_name'], 'web');
});

test('an interface set to null gets the default, a new driver keeps or resets the others', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ inspect_interface: 'agent' });
  const toDefault = [{ op: 'replace', path: '/inspect_interface', value: null }];
  assert.equal((await patch(daemon, uuid, toDefault)).body['inspect_interface'], 'fake');
  const newDriver = [{ op: 'replace', path: '/driver', value: 'lab' }];
  const kept = await patch(daemon, uuid, newDriver);
  assert.equal(kept.status, 400);
  assert.match(kept.fault, /lab: it does not support it/);
  assert.equal(daemon.node(uuid).driver, 'fake-hardware');
  const reset = await daemon.request('PATCH', `/v1/nodes/${uuid}?reset_interfaces=true`, { body: newDriver });
  assert.equal(reset.status, 200, reset.text);
  assert.deepEqual([reset.body['power_interface'], reset.body['inspect_interface']], ['lab', 'agent']);
});

test('reset_interfaces needs 1.45 and a new driver', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const path = `/v1/nodes/${uuid}?reset_interfaces=true`;
  const body = [{ op: 'replace', path: '/driver', value: 'lab' }];
  assert.equal((await daemon.request('PATCH', path, { body, version: 44 })).status, 406);
  const alone = await daemon.request('PATCH', path, { body: [{ op: 'remove', path: '/owner' }] });
  assert.equal(alone.status, 400);
});

/** The status of a patch in each state of a stored node. */
async function statusByState(body: unknown, stored: NodeChanges, t: Parameters<typeof startInProcess>[0]) {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const reached: Record<string, number> = {};
  for (const state of provisionStates) {
    const stable = ['enroll', 'manageable', 'available', 'active', 'error', 'rescue'].includes(state);
    const target = stable ? null : 'manageable';
    daemon.services.db.nodes.update(uuid, {
      ...{ protected: false, retired: false, power_interface: 'fake', inspect_interface: 'fake' },
      ...{ resource_class: 'a', extra: {}, maintenance: false },
      ...stored,
      provision_state: state,
      target_provision_state: target,
    });
    reached[state] = (await patch(daemon, uuid, body)).status;
  }
  return (status: number) => Object.keys(reached).filter((state) => reached[state] === status);
}

const UPDATABLE_AT_WORK = [
  ...['verifying', 'clean failed', 'inspect wait', 'inspect failed', 'adopt failed', 'deploy failed'],
  ...['rescue failed', 'unrescue failed', 'service hold', 'service failed'],
];
const STABLE = ['enroll', 'manageable', 'available', 'active', 'error', 'rescue'];
const sorted = (states: readonly string[]) => states.toSorted();

test('a node at work may be changed in some states only', async (t) => {
  const body = [{ op: 'add', path: '/extra/a', value: 1 }];
  const states = await statusByState(body, {}, t);
  assert.deepEqual(sorted(states(200)), sorted([...STABLE, ...UPDATABLE_AT_WORK]));
  assert.deepEqual(sorted([...states(200), ...states(409)]), sorted(provisionStates));
});

test('interfaces change in some states only, in maintenance in all that may be changed', async (t) => {
  const body = [{ op: 'replace', path: '/inspect_interface', value: 'agent' }];
  const states = await statusByState(body, {}, t);
  assert.deepEqual(sorted(states(200)), sorted(['enroll', 'manageable', 'available', 'inspect wait']));
  const inMaintenance = await statusByState(body, { maintenance: true }, t);
  assert.deepEqual(sorted(inMaintenance(200)), sorted([...STABLE, ...UPDATABLE_AT_WORK]));
});

test('a resource class once set changes in some states only, and maintenance does not help', async (t) => {
  const body = [{ op: 'replace', path: '/resource_class', value: 'b' }];
  const states = await statusByState(body, { maintenance: true }, t);
  assert.deepEqual(sorted(states(200)), sorted(['enroll', 'manageable', 'available', 'inspect wait']));
  const unset = await statusByState(body, { resource_class: null }, t);
  assert.ok(unset(200).includes('active'));
});

test('protection begins in active and rescue only, retirement anywhere but in available', async (t) => {
  const protect = await statusByState([{ op: 'add', path: '/protected', value: true }], {}, t);
  assert.deepEqual(sorted(protect(200)), ['active', 'rescue']);
  const retire = await statusByState([{ op: 'add', path: '/retired', value: true }], {}, t);
  assert.ok(!retire(200).includes('available') && retire(200).includes('active'));
});

test('a node being inspected may be changed by clients older than 1.39 alone', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  daemon.services.db.nodes.update(uuid, {
    provision_state: 'inspecting',
    target_provision_state: 'manageable',
  });
  const body = [{ op: 'add', path: '/extra/a', value: 1 }];
  assert.equal((await patch(daemon, uuid, body, 39)).status, 409);
  assert.equal((await patch(daemon, uuid, body, 38)).status, 200);
});

test('in maintenance an instance may be detached whatever the node does', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ instance_uuid: OTHER, maintenance: true });
  daemon.services.db.nodes.update(uuid, { provision_state: 'deploying', target_provision_state: 'active' });
  const detach = { op: 'remove', path: '/instance_uuid' };
  assert.equal((await patch(daemon, uuid, [detach, { op: 'remove', path: '/extra' }])).status, 200);
  daemon.services.db.nodes.update(uuid, { instance_uuid: OTHER });
  assert.equal((await patch(daemon, uuid, [detach, { op: 'add', path: '/extra/a', value: 1 }])).status, 409);
  assert.equal((await patch(daemon, uuid, [detach])).status, 200);
});

test('an instance is removed before another takes its place', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ instance_uuid: OTHER });
  const assign = [{ op: 'replace', path: '/instance_uuid', value: UNKNOWN }];
  assert.equal((await patch(daemon, uuid, assign)).status, 409);
  assert.equal((await patch(daemon, uuid, [{ op: 'remove', path: '/instance_uuid' }])).status, 200);
  assert.equal((await patch(daemon, uuid, assign)).status, 200);
});

test('a driver with its console enabled stays, and an interface does not change with it unseen', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ console_enabled: true });
  const body = [{ op: 'replace', path: '/driver', value: 'lab' }];
  const path = `/v1/nodes/${uuid}?reset_interfaces=true`;
  assert.equal((await daemon.request('PATCH', path, { body })).status, 409);
  daemon.services.db.nodes.update(uuid, { console_enabled: false, provision_state: 'active' });
  assert.equal((await daemon.request('PATCH', path, { body })).status, 409);
  assert.equal(daemon.node(uuid).driver, 'fake-hardware');
});

test('a node is deleted in some states only, in maintenance in all', async (t) => {
  const daemon = await startInProcess(t);
  const removable = [];
  for (const state of provisionStates) {
    const { uuid } = await daemon.createNode();
    daemon.services.db.nodes.update(uuid, { provision_state: state });
    const { status } = await daemon.request('DELETE', `/v1/nodes/${uuid}`);
    if (status === 204) removable.push(state);
    else {
      assert.equal(status, 409, state);
      daemon.services.db.nodes.update(uuid, { maintenance: true });
      assert.equal((await daemon.request('DELETE', `/v1/nodes/${uuid}`)).status, 204, state);
    }
  }
  assert.deepEqual(sorted(removable), ['adopt failed', 'available', 'enroll', 'manageable']);
});

test('a protected node is never deleted, one with an instance in maintenance only', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ instance_uuid: OTHER });
  const remove = async () => (await daemon.request('DELETE', `/v1/nodes/${uuid}`)).status;
  assert.equal(await remove(), 409);
  daemon.services.db.nodes.update(uuid, { protected: true, maintenance: true });
  assert.equal(await remove(), 403);
  daemon.services.db.nodes.update(uuid, { protected: false });
  assert.equal(await remove(), 204);
  assert.equal(await remove(), 404);
});

test('available nodes are kept when the configuration says so', async (t) => {
  const daemon = await startInProcess(t, { ini: '[conductor]\nallow_deleting_available_nodes = false\n' });
  const { uuid } = await daemon.createNode();
  daemon.services.db.nodes.update(uuid, { provision_state: 'available' });
  assert.equal((await daemon.request('DELETE', `/v1/nodes/${uuid}`)).status, 409);
});

test('with a node go its ports and what is remembered of it', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const port = await daemon.createPort(uuid, '52:54:00:00:00:01');
  const { db } = daemon.services;
  db.inventory.put(uuid, '2026-01-01T00:00:00.000+00:00', { inventory: '{}', plugin_data: '{}' });
  await daemon.request('DELETE', `/v1/nodes/${uuid}`);
  assert.deepEqual([db.ports.get(port.uuid), db.inventory.get(uuid)], [undefined, undefined]);
});

test('names reach nodes from 1.5 on, freer ones from 1.10 on', async (t) => {
  const daemon = await startInProcess(t);
  await daemon.createNode({ name: 'host.example' });
  await daemon.createNode({ name: 'Free_~name' });
  const status = async (path: string, version: number) =>
    (await daemon.request('GET', path, { version })).status;
  assert.equal(await status('/v1/nodes/host.example', 4), 404);
  assert.equal(await status('/v1/nodes/host.example', 5), 200);
  assert.equal(await status('/v1/nodes/Free_~name', 9), 400);
  assert.equal(await status('/v1/nodes/Free_~name', 10), 200);
  assert.equal(await status('/v1/nodes/a%20b', 115), 400);
  assert.equal(await status('/v1/nodes/nobody', 115), 404);
  assert.equal(await status('/v1/nodes/validate?node=host.example', 4), 406);
  assert.equal(await status('/v1/nodes/validate?node=host.example', 5), 200);
});

test('each filter of the list finds what it should, and several are joined by and', async (t) => {
  const daemon = await startInProcess(t);
  const parent = await daemon.createNode({ name: 'parent', description: 'The Rack%' });
  await daemon.createNode({ name: 'child', parent_node: 'parent', owner: 'o' });
  const rest = {
    owner: 'o',
    lessee: 'l',
    shard: 's1',
    resource_class: 'c',
    instance_uuid: OTHER,
    instance_name: 'i',
  };
  await daemon.createNode({ name: 'full', maintenance: true, retired: true, ...rest });
  daemon.services.db.nodes.update(parent.uuid, { fault: 'clean failure', provision_state: 'clean failed' });
  const names = async (query: string) => {
    const { status, body, text } = await daemon.request('GET', `/v1/nodes?fields=name&${query}`);
    assert.equal(status, 200, `${query} ${text}`);
    return body.nodes.map((node) => node['name']).join(' ');
  };
  const expected = {
    '': 'parent full',
    'include_children=true': 'parent child full',
    [`parent_node=${parent.uuid}`]: 'child',
    'maintenance=true': 'full',
    'maintenance=false': 'parent',
    'retired=true': 'full',
    'associated=true': 'full',
    'associated=false': 'parent',
    'sharded=true': 'full',
    'shard=S1,s2': 'full',
    'owner=o': 'full',
    'owner=o&include_children=1': 'child full',
    'lessee=l': 'full',
    'project=l': 'full',
    'resource_class=c': 'full',
    'driver=lab': '',
    'provision_state=clean%20failed': 'parent',
    'fault=clean%20failure': 'parent',
    'description_contains=rack%25': 'parent',
    'conductor=lab-host': 'parent full',
    'conductor=other': '',
    'conductor_group=': 'parent full',
    [`instance_uuid=${OTHER.toUpperCase()}`]: 'full',
    'instance_name=i': 'full',
    'owner=o&maintenance=false': '',
    "owner=o'%20OR%201=1;--": '',
  };
  for (const [query, found] of Object.entries(expected)) assert.equal(await names(query), found, query);
});

test('a filter that is wrong is 400, one newer than the version 406', async (t) => {
  const daemon = await startInProcess(t);
  const bad = [
    'maintenance=maybe',
    'instance_uuid=x',
    'provision_state=lost',
    'fault=x',
    'foo=1',
    'parent_node=n',
  ];
  for (const query of [...bad, 'detail=true&fields=uuid', 'driver=a&driver=b']) {
    assert.equal((await daemon.request('GET', `/v1/nodes?${query}`)).status, 400, query);
  }
  const since = {
    driver: 16,
    resource_class: 21,
    provision_state: 9,
    fault: 42,
    conductor_group: 46,
    conductor: 49,
    owner: 50,
    lessee: 65,
    shard: 82,
    sharded: 82,
    include_children: 83,
    instance_name: 104,
    fields: 8,
  };
  for (const [name, version] of Object.entries(since)) {
    const path = `/v1/nodes?${name}=x`;
    assert.equal((await daemon.request('GET', path, { version: version - 1 })).status, 406, name);
    assert.notEqual((await daemon.request('GET', path, { version })).status, 406, name);
  }
  assert.equal((await daemon.request('GET', '/v1/nodes?detail=true', { version: 42 })).status, 400);
  assert.equal((await daemon.request('GET', '/v1/nodes?detail=true', { version: 43 })).status, 200);
  assert.equal((await daemon.request('GET', '/v1/nodes/detail?fields=uuid')).status, 400);
});

test('validation reports on each interface but vendor, and never fails itself', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ driver: 'lab', driver_info: { lab_incomplete: 'yes' } });
  const paths = [`/v1/nodes/${uuid}/validate`, `/v1/nodes/validate?node_uuid=${uuid}`];
  for (const path of paths) {
    const { status, body } = await daemon.request('GET', path);
    assert.equal(status, 200);
    const types = 'bios boot console deploy firmware inspect management network power raid rescue storage';
    assert.equal(Object.keys(body).toSorted().join(' '), types);
    assert.deepEqual(body['storage'], { result: true });
    assert.match(
      JSON.stringify(body['power']),
      /"result":false,"reason":".*lab_address.*missing|"result":false/,
    );
  }
  assert.equal((await daemon.request('GET', '/v1/nodes/validate')).status, 400);
  assert.equal((await daemon.request('GET', `/v1/nodes/validate?node=${UNKNOWN}`)).status, 404);
});

test('links of a node lead back to it', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid, links } = await daemon.createNode();
  assert.deepEqual(links, [
    { href: `http://ironic.test/v1/nodes/${uuid}`, rel: 'self' },
    { href: `http://ironic.test/nodes/${uuid}`, rel: 'bookmark' },
  ]);
  for (const { href } of links) {
    const answer = await daemon.request('GET', href.replace('http://ironic.test', ''));
    assert.equal(answer.body.uuid, uuid);
  }
});

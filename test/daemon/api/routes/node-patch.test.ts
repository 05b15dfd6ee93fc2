import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { patchNode, type RefusedCases } from './patch-node.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const OTHER = '11111111-2222-4333-8444-555555555555';

const refusedPatches: RefusedCases = [
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
  [[{ op: 'add', path: '/extra/a~2b', value: 1 }], 400, /does not match/],
  [[{ op: 'add', path: '/extra/a~', value: 1 }], 400, /does not match/],
  [[{ op: 'add', path: '/extra/', value: 1 }], 400, /does not match/],
  [
    [{ op: 'add', path: '/uuid', value: OTHER }],
    400,
    /Cannot patch \/uuid\. Only the following can be updated: \/\w+, /,
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
  [[{ op: 'replace', path: '/power_interface', value: 'ipmi' }], 400, /enabled power interfaces: ipmi/],
  [[{ op: 'replace', path: '/driver', value: 'manual-management' }], 400, /manual-management/],
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

test('an invalid patch is refused, and neither the node nor Object.prototype changes', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ name: 'n', extra: { list: [1, 2], text: 't' } });
  const before = daemon.node(uuid);
  for (const [body, status, fault] of refusedPatches) {
    const answer = await patchNode(daemon, uuid, body);
    assert.equal(answer.status, status, `${JSON.stringify(body)} ${answer.text}`);
    assert.match(answer.fault, fault, JSON.stringify(body));
  }
  assert.deepEqual(daemon.node(uuid), before);
  assert.deepEqual(Object.keys(Reflect.get(Object.prototype, 'toString')), []);
  assert.equal(Object.hasOwn(Object.prototype, 'x'), false);
});

test('a patch applies its operations in order to the stored node and keeps its secrets', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ driver_info: { password: 'real' } });
  const answer = await patchNode(daemon, uuid, [
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

test('values added to empty objects of a node do not appear in its other objects', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  await patchNode(daemon, uuid, [
    { op: 'add', path: '/extra/a', value: 1 },
    { op: 'add', path: '/properties/b', value: 2 },
  ]);
  const { extra, properties, instance_info } = daemon.node(uuid);
  assert.deepEqual([extra, properties, instance_info], [{ a: 1 }, { b: 2 }, {}]);
});

test('remove resets a field to its initial value, even if it was not set', async (t) => {
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
  const answer = await patchNode(daemon, uuid, body);
  assert.equal(answer.status, 200, answer.text);
  const shown = fields.map((name) => answer.body[name]);
  assert.deepEqual(shown, [null, null, {}, null, null, '', null]);
});

test('null clears objects, texts and the flags that allow null', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({
    extra: { a: 1 },
    description: 'd',
    disable_power_off: true,
    retired: 1,
  });
  const fields = ['extra', 'description', 'disable_power_off', 'retired', 'conductor_group'];
  const answer = await patchNode(
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

test('another spelling of a stored value changes nothing, and paths may contain non-ASCII characters', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ retired: true });
  const same = await patchNode(daemon, uuid, [{ op: 'replace', path: '/retired', value: 'yes' }]);
  assert.deepEqual([same.body['retired'], same.body['updated_at']], [true, null]);
  const added = await patchNode(daemon, uuid, [{ op: 'add', path: '/extra/größe', value: 1 }]);
  assert.deepEqual(added.body['extra'], { größe: 1 });
});

test('an empty patch returns the unchanged node', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const answer = await patchNode(daemon, uuid, []);
  assert.equal(answer.status, 200);
  assert.equal(answer.body['updated_at'], null);
});

test('a patch that ends maintenance or retirement clears the reason and the fault', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ retired: true, retired_reason: 'old' });
  daemon.services.db.nodes.update(uuid, {
    maintenance: true,
    maintenance_reason: 'r',
    fault: 'power failure',
  });
  await patchNode(daemon, uuid, [
    { op: 'replace', path: '/maintenance', value: 'false' },
    { op: 'replace', path: '/retired', value: false },
  ]);
  const { maintenance, maintenance_reason, fault, retired, retired_reason } = daemon.node(uuid);
  const cleared = [maintenance, maintenance_reason, fault, retired, retired_reason];
  assert.deepEqual(cleared, [false, null, null, false, null]);
});

const named = (value: string) => [{ op: 'add', path: '/instance_info/display_name', value }];

test('instance_info/display_name becomes the instance_name of a node that has none', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  assert.equal((await patchNode(daemon, uuid, named('web'))).body['instance_name'], 'web');
  assert.equal((await patchNode(daemon, uuid, named('db'))).body['instance_name'], 'web');
});

test('an interface set to null gets its default, and reset_interfaces sets the defaults of a new driver', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ inspect_interface: 'agent' });
  const toDefault = [{ op: 'replace', path: '/inspect_interface', value: null }];
  assert.equal((await patchNode(daemon, uuid, toDefault)).body['inspect_interface'], 'fake');
  const newDriver = [{ op: 'replace', path: '/driver', value: 'lab' }];
  const kept = await patchNode(daemon, uuid, newDriver);
  assert.equal(kept.status, 400);
  assert.match(kept.fault, /lab, which does not support it/);
  assert.equal(daemon.node(uuid).driver, 'fake-hardware');
  const reset = await daemon.request('PATCH', `/v1/nodes/${uuid}?reset_interfaces=true`, { body: newDriver });
  assert.equal(reset.status, 200, reset.text);
  assert.deepEqual([reset.body['power_interface'], reset.body['inspect_interface']], ['lab', 'agent']);
});

test('reset_interfaces needs 1.45 and a change of driver', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const path = `/v1/nodes/${uuid}?reset_interfaces=true`;
  const body = [{ op: 'replace', path: '/driver', value: 'lab' }];
  assert.equal((await daemon.request('PATCH', path, { body, version: 44 })).status, 406);
  const alone = await daemon.request('PATCH', path, { body: [{ op: 'remove', path: '/owner' }] });
  assert.equal(alone.status, 400);
});

test('since 1.98 a path may name a key that contains a slash or a tilde', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ extra: { list: { 'c~': [1] } } });
  const add = [
    { op: 'add', path: '/extra/a~1b', value: 1 },
    { op: 'add', path: '/extra/list/c~0/-', value: 2 },
  ];
  assert.equal((await patchNode(daemon, uuid, add, 97)).status, 400);
  assert.equal((await patchNode(daemon, uuid, add, 98)).status, 200);
  assert.deepEqual(daemon.node(uuid).extra, { list: { 'c~': [1, 2] }, 'a/b': 1 });
  assert.equal((await patchNode(daemon, uuid, [{ op: 'remove', path: '/extra/a~1b' }], 98)).status, 200);
  assert.deepEqual(Object.keys(daemon.node(uuid).extra), ['list']);
});

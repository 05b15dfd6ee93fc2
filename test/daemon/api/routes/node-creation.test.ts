import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { patchNode, type RefusedCases } from './patch-node.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const OTHER = '11111111-2222-4333-8444-555555555555';

test('a new node has a UUID, defaults and interfaces, and its Location ends with the UUID', async (t) => {
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

test('a node without a resource class gets default_resource_class', async (t) => {
  const daemon = await startInProcess(t, { ini: 'default_resource_class = baremetal\n' });
  const shown = async (fields: Readonly<Record<string, unknown>>) =>
    (await daemon.createNode(fields))['resource_class'];
  assert.deepEqual(
    await Promise.all(
      [{}, { resource_class: null }, { resource_class: '' }, { resource_class: 'x' }].map(shown),
    ),
    ['baremetal', 'baremetal', 'baremetal', 'x'],
  );
});

test('before 1.11 a new node is available, and before 1.2 its provision_state is shown as null', async (t) => {
  const daemon = await startInProcess(t);
  const shown = async (version: number) => {
    const body = { driver: 'fake-hardware' };
    return (await daemon.request('POST', '/v1/nodes', { version, body })).body['provision_state'];
  };
  assert.deepEqual(await Promise.all([1, 2, 10, 11].map(shown)), [null, 'available', 'available', 'enroll']);
});

const refusedCreations: RefusedCases = [
  [undefined, 400, /'driver' is a required property/],
  [[], 400, /not of type object/],
  ['"text"', 400, /not of type object/],
  ['null', 400, /not of type object/],
  ['{', 400, /not valid JSON/],
  ['{"driver":"lab","extra":{"a":[1e999]}}', 400, /The number 1e999 .* cannot be stored exactly/],
  ['{"driver":"lab","extra":{"a":12345678901234567890}}', 400, /12345678901234567890 .* Send it as a string/],
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
  [{ driver: 'manual-management', power_interface: 'lab' }, 400, /lab to hardware type manual-management/],
  [{ name: 'a b' }, 400, /invalid name/],
  [{ name: '' }, 400, /invalid name/],
  [{ name: OTHER }, 400, /looks like a UUID/],
  [{ name: 'detail' }, 400, /reserved/],
  [{ name: 'x'.repeat(256) }, 400, /name/],
  [{ name: 'Host_1' }, 400, /invalid name/, 9],
  [{ name: 'host' }, 406, /1\.5/, 4],
];

test('an invalid node is refused with the reason and not stored', async (t) => {
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

test('a node created with a null uuid gets a generated UUID', async (t) => {
  const daemon = await startInProcess(t);
  assert.match((await daemon.createNode({ uuid: null })).uuid, /^[0-9a-f]{8}-/);
});

test('null sets objects, conductor_group and the flags that allow null to their initial values', async (t) => {
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

test('booleans and UUIDs are accepted in several spellings and shown in the canonical one', async (t) => {
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

test('uuid, name and instance_uuid are unique among nodes', async (t) => {
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
    const patched = await patchNode(daemon, second.uuid, [{ op: 'add', path: `/${name}`, value }]);
    assert.equal(patched.status, 409);
    assert.match(patched.fault, fault);
  }
});

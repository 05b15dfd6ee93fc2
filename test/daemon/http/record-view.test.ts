import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

// from the API reference: minor versions and the fields that each added; P: allowed in POST, U: allowed in PATCH
const nodeTable = `
1: uuid:P driver:PU driver_info:PU properties:PU instance_info:PU instance_uuid:PU extra:PU chassis_uuid:PU
1: maintenance:PU maintenance_reason power_state target_power_state provision_state target_provision_state
1: provision_updated_at last_error reservation console_enabled:P created_at updated_at auto_discovered wait
3: driver_internal_info
5: name:PU
6: inspection_started_at inspection_finished_at
7: clean_step
12: raid_config target_raid_config
20: network_interface:PU
21: resource_class:PU
31: boot_interface:PU console_interface:PU deploy_interface:PU inspect_interface:PU management_interface:PU
31: power_interface:PU raid_interface:PU vendor_interface:PU
33: storage_interface:PU
37: traits
38: rescue_interface:PU
40: bios_interface:PU
42: fault
44: deploy_step
46: conductor_group:PU
47: automated_clean:PU
48: protected:U protected_reason:U
49: conductor
50: owner:PU
51: description:PU
52: allocation_uuid
61: retired:PU retired_reason:PU
65: lessee:PU
66: network_data:PU
75: boot_mode:P secure_boot:P
82: shard:PU
83: parent_node:PU
86: firmware_interface:PU
87: service_step
95: disable_power_off:PU
104: instance_name:PU
109: health`;
const portTable = `
1: uuid:P address:PU node_uuid:PU extra:PU created_at updated_at
18: internal_info
19: pxe_enabled:PU local_link_connection:PU
24: portgroup_uuid:PU
34: physical_network:PU
53: is_smartnic:PU
88: name:PU
97: description:PU
100: vendor:PU
101: category:PU
111: available_for_dynamic_portgroup:PU`;
const nodeLinks = { ports: 1, states: 14, portgroups: 24, volume: 32, links: 1 };
// the port fields whose version PATCH checks
const GATED_PORT_FIELDS = new Set([
  'pxe_enabled',
  'local_link_connection',
  'portgroup_uuid',
  'physical_network',
  'is_smartnic',
]);

interface Entry {
  readonly name: string;
  readonly since: number;
  readonly access: string;
}

const entriesOf = (table: string): readonly Entry[] =>
  table
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [since, fields = ''] = line.split(': ');
      return fields.split(' ').map((field) => {
        const [name = '', access = ''] = field.split(':');
        return { name, since: Number(since), access };
      });
    });

const nodeEntries = entriesOf(nodeTable);
const portEntries = entriesOf(portTable);
const versions = Array.from({ length: 115 }, (_, at) => at + 1);
const upTo = (entries: readonly Entry[], minor: number) =>
  entries.filter(({ since }) => since <= minor).map(({ name }) => name);

test('a node shows exactly the fields of the API version, alone and in detailed lists; short lists show a few', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ name: 'n' });
  for (const version of versions) {
    const links = Object.entries(nodeLinks).filter(([, since]) => since <= version);
    const expected = [...upTo(nodeEntries, version), ...links.map(([name]) => name)].toSorted();
    const { body } = await daemon.request('GET', `/v1/nodes/${uuid}`, { version });
    assert.deepEqual(Object.keys(body).toSorted(), expected, `1.${version}`);
    const long = await daemon.request('GET', '/v1/nodes/detail', { version });
    assert.deepEqual(Object.keys(long.body.nodes[0] ?? {}).toSorted(), expected, `detail 1.${version}`);
    const list = await daemon.request('GET', '/v1/nodes', { version });
    const summary = ['instance_uuid', 'links', 'maintenance', 'power_state', 'provision_state', 'uuid'];
    const named = [...summary, ...(version >= 5 ? ['name'] : [])].toSorted();
    assert.deepEqual(Object.keys(list.body.nodes[0] ?? {}).toSorted(), named, `list 1.${version}`);
  }
});

test('a port shows exactly the fields of the API version, alone and in detailed lists; short lists show a few', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode();
  const { uuid } = await daemon.createPort(node.uuid, '52:54:00:00:00:01');
  for (const version of versions) {
    const expected = [...upTo(portEntries, version), 'links'].toSorted();
    const paths = [`/v1/ports/${uuid}`, '/v1/ports/detail', `/v1/nodes/${node.uuid}/ports/detail`];
    for (const path of paths) {
      const { body } = await daemon.request('GET', path, { version });
      const port = path.endsWith('detail') ? body.ports[0] : body;
      assert.deepEqual(Object.keys(port ?? {}).toSorted(), expected, `${path} 1.${version}`);
    }
    const list = await daemon.request('GET', '/v1/ports', { version });
    assert.deepEqual(Object.keys(list.body.ports[0] ?? {}).toSorted(), ['address', 'links', 'uuid']);
  }
});

// fields that only a whole node shows
const NEVER_CHOSEN = ['created_at', 'updated_at', 'links', 'ports', 'states', 'portgroups', 'volume'];

test('fields= returns a field since 1.8 or the later version that added it, and answers 406 before', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode();
  const port = await daemon.createPort(node.uuid, '52:54:00:00:00:01');
  const chosen = nodeEntries.filter(({ name }) => !NEVER_CHOSEN.includes(name));
  const resources = [
    { paths: [`/v1/nodes/${node.uuid}`, '/v1/nodes'], entries: chosen },
    { paths: [`/v1/ports/${port.uuid}`], entries: portEntries },
  ];
  for (const { paths, entries } of resources) {
    for (const { name, since } of entries) {
      for (const version of versions) {
        const path = paths[version % paths.length] ?? '';
        const { status, body, text } = await daemon.request('GET', `${path}?fields=${name}`, { version });
        const which = `${path} ${name} 1.${version} ${text}`;
        assert.equal(status, version < Math.max(since, 8) ? 406 : 200, which);
        if (status !== 200) continue;
        const shown = path === '/v1/nodes' ? body.nodes[0] : body;
        assert.deepEqual(Object.keys(shown ?? {}).toSorted(), ['links', name].toSorted(), which);
      }
    }
  }
});

test('fields= of a node refuses unknown names and fields that only a whole node shows', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  for (const path of [`/v1/nodes/${uuid}`, '/v1/nodes']) {
    for (const field of [...NEVER_CHOSEN, 'foo', '__proto__', 'constructor', 'toString', 'id', 'uuid;--']) {
      const answer = await daemon.request('GET', `${path}?fields=uuid,${field}`);
      assert.equal(answer.status, 400, `${path} ${field}`);
      assert.equal(answer.fault, `Field ${field.toLowerCase()} is not a valid field.`);
    }
  }
});

test('an empty fields= shows only links, and names are trimmed and lower-cased', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ name: 'n' });
  const keys = async (query: string) =>
    Object.keys((await daemon.request('GET', `/v1/nodes/${uuid}?${query}`)).body).toSorted();
  assert.deepEqual(await keys('fields='), ['links']);
  assert.deepEqual(await keys('fields=UUID,%20Name&fields=uuid'), ['links', 'name', 'uuid']);
});

// plausible values; the driver or node that a POST names does not exist, so a body that passes the version check gets 400
const sampleOf = (name: string): unknown => {
  if (/_info$|^properties$|^extra$|^network_data$|^local_link_connection$/.test(name)) return {};
  if (/enabled|^maintenance$|clean$|^retired$|^protected$|secure|power_off|smartnic|dynamic/.test(name))
    return true;
  if (name.endsWith('uuid')) return '11111111-2222-4333-8444-555555555555';
  return name === 'boot_mode' ? 'uefi' : 'x';
};

test('POST of a node accepts writable fields since their version, answers 406 before, and refuses read-only fields', async (t) => {
  const daemon = await startInProcess(t);
  for (const { name, since, access } of nodeEntries) {
    if (name === 'driver') continue;
    for (const version of access.includes('P') ? versions : [115]) {
      const body = { driver: 'not-enabled', [name]: sampleOf(name) };
      const answer = await daemon.request('POST', '/v1/nodes', { version, body });
      const which = `${name} 1.${version} ${answer.fault}`;
      assert.equal(answer.status, version < since ? 406 : 400, which);
      if (access.includes('P') && version >= since) assert.match(answer.fault, /No valid host/, which);
      if (!access.includes('P')) assert.match(answer.fault, /Additional properties are not allowed/, which);
    }
  }
  assert.equal((await daemon.request('GET', '/v1/nodes')).body.nodes.length, 0);
});

test('POST of a port accepts writable fields since their version, answers 406 before, and refuses read-only fields', async (t) => {
  const daemon = await startInProcess(t);
  for (const { name, since, access } of portEntries) {
    for (const version of access.includes('P') ? versions : [115]) {
      const node_uuid = '11111111-2222-4333-8444-555555555555';
      const body = { [name]: sampleOf(name), address: '52:54:00:00:00:01', node_uuid };
      const answer = await daemon.request('POST', '/v1/ports', { version, body });
      const which = `${name} 1.${version} ${answer.fault}`;
      assert.equal(answer.status, version < since ? 406 : 400, which);
      if (!access.includes('P')) assert.match(answer.fault, /Additional properties are not allowed/, which);
    }
  }
});

test('POST accepts null for a field newer than the version', async (t) => {
  const daemon = await startInProcess(t);
  const body = { driver: 'fake-hardware', name: null, shard: null, resource_class: null };
  assert.equal((await daemon.request('POST', '/v1/nodes', { version: 1, body })).status, 201);
});

interface PatchCase {
  readonly op: string;
  readonly entry: Entry;
  readonly version: number;
}

/** `replace` at all versions; `add` and, for most fields, `remove` at four: 1.1, 1.115, the field's first and the one before it. */
const patchCases = (entries: readonly Entry[]): readonly PatchCase[] =>
  entries.flatMap((entry) =>
    versions.flatMap((version) => {
      const isEdge = [1, entry.since - 1, entry.since, 115].includes(version);
      const needed = ['driver', 'address', 'chassis_uuid'].includes(entry.name);
      const others = isEdge ? ['add', ...(needed ? [] : ['remove'])] : [];
      return ['replace', ...others].map((op) => ({ op, entry, version }));
    }),
  );

// the resources do not exist: a patch that passes the checks of path and version gets 404
test('PATCH checks versions of fields for add and replace only, and refuses read-only fields', async (t) => {
  const daemon = await startInProcess(t);
  const nowhere = '00000000-0000-4000-8000-000000000000';
  const resources = [
    { path: `/v1/nodes/${nowhere}`, entries: nodeEntries, gated: nodeEntries.map(({ name }) => name) },
    { path: `/v1/ports/${nowhere}`, entries: portEntries, gated: [...GATED_PORT_FIELDS] },
  ];
  for (const { path, entries, gated } of resources) {
    for (const { op, entry, version } of patchCases(entries)) {
      const { name, since, access } = entry;
      const body = [{ op, path: `/${name}`, ...(op !== 'remove' && { value: sampleOf(name) }) }];
      const answer = await daemon.request('PATCH', path, { version, body });
      const tooOld = op !== 'remove' && gated.includes(name) && version < since;
      const allowed = tooOld ? 406 : 404;
      const expected = access.includes('U') ? allowed : 400;
      assert.equal(answer.status, expected, `${op} ${name} 1.${version} ${answer.fault}`);
    }
  }
});

test('chassis_uuid is removed by remove or null since 1.25', async (t) => {
  const daemon = await startInProcess(t);
  const node = '/v1/nodes/00000000-0000-4000-8000-000000000000';
  const path = '/chassis_uuid';
  for (const operation of [
    { op: 'remove', path },
    { op: 'replace', path, value: null },
  ]) {
    for (const version of versions) {
      const { status } = await daemon.request('PATCH', node, { version, body: [operation] });
      assert.equal(status, version < 25 ? 406 : 404, `${operation.op} 1.${version}`);
    }
  }
});

import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { ACTIVE, CHASSIS, NODE, PORTGROUP, startPopulated } from '../../../fakes/daemon/populated-api.ts';

const NOTHING = '00000000-0000-4000-8000-0000000000ff';
const paging = ['limit=1', 'sort_key=uuid', 'sort_dir=desc', 'marker=MARKER'];

type Takes = readonly (readonly [argument: string, since?: number, below?: number])[];

const N = `/v1/nodes/${NODE}`;
const shaped: Takes = [
  ['fields=uuid', 8],
  ['detail=true', 43, 400],
];
const always = (...names: readonly string[]): Takes => names.map((name) => [name]);

const nodeFilters: Takes = [
  ...always('associated=true', 'maintenance=true', 'retired=true', 'project=x', 'description_contains=x'),
  ...always(`chassis_uuid=${CHASSIS}`, `instance_uuid=${NOTHING}`, 'auto_discovered=true'),
  ['provision_state=available', 9],
  ['driver=x', 16],
  ['resource_class=x', 21],
  ['fault=power failure', 42],
  ['conductor_group=x', 46],
  ['conductor=x', 49],
  ['owner=x', 50],
  ['lessee=x', 65],
  ['shard=x', 82],
  ['sharded=true', 82],
  [`parent_node=${NODE}`, 83],
  ['include_children=true', 83],
  ['instance_name=x', 104],
];
const volume: Takes = always('fields=uuid', 'detail=true');

// from the API reference: each argument, its first version, and the status with older versions, which is 406 if not given
const lists: readonly { path: string; since?: number; marker?: string; takes: Takes }[] = [
  { path: '/v1/nodes', marker: NODE, takes: [...always(...paging), ...nodeFilters, ...shaped] },
  { path: '/v1/nodes/detail', marker: NODE, takes: [...always(...paging), ...nodeFilters] },
  { path: `/v1/chassis/${CHASSIS}/nodes`, marker: NODE, takes: [...always(...paging), ...shaped] },
  { path: N, takes: [['fields=uuid', 8]] },
  { path: '/v1/nodes/validate', takes: [[`node=${NODE}`], [`node_uuid=${NODE}`], ['node=machine', 5]] },
  {
    path: '/v1/ports',
    takes: [
      ...always(`node=${NODE}`, `node_uuid=${NODE}`, 'address=52:54:00:00:00:01', 'conductor_groups=x'),
      ...always('description_contains=x', 'limit=1'),
      ['node=machine', 5],
      [`portgroup=${PORTGROUP}`, 24],
      ['shard=x', 82],
      ...shaped,
    ],
  },
  { path: `${N}/ports`, takes: [...always('limit=1', 'sort_dir=asc'), ...shaped] },
  {
    path: '/v1/portgroups/bond/ports',
    since: 24,
    takes: [...always('limit=1', 'fields=uuid'), ['detail=true', 43, 400]],
  },
  {
    path: '/v1/portgroups',
    since: 23,
    marker: PORTGROUP,
    takes: [
      ...always(...paging, `node=${NODE}`, 'address=52:54:00:00:00:01', 'conductor_groups=x', 'fields=uuid'),
      ['shard=x', 106],
      ['detail=true', 43, 400],
    ],
  },
  {
    path: `${N}/portgroups`,
    since: 24,
    takes: [...always('limit=1', 'fields=uuid'), ['detail=true', 43, 400]],
  },
  { path: '/v1/chassis', marker: CHASSIS, takes: [...always(...paging), ...shaped] },
  {
    path: '/v1/drivers',
    takes: [
      ['type=dynamic', 30],
      ['type=classic', 30],
      ['detail=true', 30],
      ['fields=name', 77],
    ],
  },
  { path: '/v1/drivers/fake-hardware', takes: [['fields=name', 77]] },
  {
    path: '/v1/conductors',
    since: 49,
    marker: 'lab-host',
    takes: always(
      'limit=1',
      'sort_key=hostname',
      'sort_dir=desc',
      'marker=MARKER',
      'detail=true',
      'fields=hostname',
    ),
  },
  { path: '/v1/volume/connectors', since: 32, takes: [...volume, ...always('limit=1', 'node=machine')] },
  { path: '/v1/volume/targets', since: 32, takes: [...volume, ...always('limit=1', `node=${NODE}`)] },
  { path: `${N}/volume/connectors`, since: 32, takes: [...volume, ...always('limit=1')] },
  { path: `${N}/volume/targets`, since: 32, takes: [...volume, ...always('limit=1')] },
  {
    path: '/v1/allocations',
    since: 52,
    takes: [
      ...always('limit=1', 'node=machine', 'resource_class=x', 'state=active', 'fields=uuid'),
      ['owner=x', 60],
    ],
  },
  { path: `/v1/nodes/${ACTIVE}/allocation`, since: 52, takes: always('fields=uuid') },
  { path: '/v1/deploy_templates', since: 55, takes: always('limit=1', 'detail=true', 'fields=uuid') },
  { path: '/v1/runbooks', since: 92, takes: always('limit=1', 'detail=true', 'fields=uuid', 'project=x') },
  {
    path: '/v1/inspection_rules',
    since: 96,
    takes: always('limit=1', 'detail=true', 'fields=uuid', 'phase=main'),
  },
  {
    path: `${N}/bios`,
    since: 40,
    takes: [
      ['detail=true', 74, 400],
      ['fields=value', 74, 400],
    ],
  },
  { path: `${N}/firmware`, since: 86, takes: always('fields=component') },
  { path: `${N}/history`, since: 78, takes: always('limit=1', 'detail=true', 'sort_dir=desc') },
];

const versions = Array.from({ length: 115 }, (_, at) => at + 1);
const api = await startPopulated({ after });

for (const { path, since: first = 1, marker = '', takes } of lists) {
  test(`GET ${path} accepts each argument since its version, and refuses an unknown one`, async () => {
    for (const [argument, since = 1, below = 406] of takes) {
      const query = argument.replace('MARKER', marker);
      for (const version of versions.slice(first - 1)) {
        const { status, text } = await api.request('GET', `${path}?${query}`, { version });
        assert.equal(status, version < since ? below : 200, `${query} 1.${version} ${text}`);
      }
    }
    for (const version of versions.slice(first - 1)) {
      const { status, fault } = await api.request('GET', `${path}?no_such=1`, { version });
      assert.deepEqual([status, fault], [400, 'Unexpected arguments: no_such'], `1.${version}`);
    }
  });
}

test('detailed lists accept neither fields nor detail, and the list of allocations does not accept detail', async () => {
  for (const path of [
    '/v1/nodes/detail',
    '/v1/ports/detail',
    '/v1/portgroups/detail',
    '/v1/chassis/detail',
  ]) {
    for (const argument of ['fields=uuid', 'detail=true']) {
      assert.equal((await api.request('GET', `${path}?${argument}`)).status, 400, `${path} ${argument}`);
    }
  }
  assert.equal((await api.request('GET', '/v1/allocations?detail=true')).status, 400);
});

test('sort_key accepts a field since the version of the field, and returns 406 before', async () => {
  const keys: readonly (readonly [path: string, key: string, since: number])[] = [
    ['/v1/nodes', 'resource_class', 21],
    ['/v1/nodes', 'owner', 50],
    ['/v1/nodes', 'instance_name', 104],
    ['/v1/ports', 'physical_network', 34],
    ['/v1/ports', 'name', 88],
    ['/v1/portgroups', 'mode', 26],
    ['/v1/portgroups', 'category', 103],
    ['/v1/allocations', 'owner', 60],
    ['/v1/runbooks', 'description', 112],
  ];
  const firsts: Readonly<Record<string, number>> = {
    '/v1/portgroups': 23,
    '/v1/allocations': 52,
    '/v1/runbooks': 92,
  };
  for (const [path, key, since] of keys) {
    for (const version of versions.slice((firsts[path] ?? 1) - 1)) {
      const { status, text } = await api.request('GET', `${path}?sort_key=${key}`, { version });
      assert.equal(status, version < since ? 406 : 200, `${path} ${key} 1.${version} ${text}`);
    }
  }
});

test('PATCH of a node with reset_interfaces but no driver returns 406 before 1.45, and 400 since then', async () => {
  for (const version of versions) {
    const { status } = await api.request('PATCH', `${N}?reset_interfaces=true`, { version, body: [] });
    assert.equal(status, version < 45 ? 406 : 400, `1.${version}`);
  }
});
